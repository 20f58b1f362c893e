// Host variables where a copy needs one of the device: nothing is copied.
#include <cstdio>

float weights[4] = {1, 2, 3, 4};
namespace filter {
static int width = 3;
}
__constant__ float used[4];

__global__ void sum(float* out) {
  for (int i = 0; i < 4; ++i) *out += used[i];
}

int main() {
  float* out;
  const float values[4] = {1, 2, 3, 4};
  int width = 0;
  cudaMallocManaged(&out, sizeof(float));
  *out = 0;
  cudaMemcpyToSymbol(weights, values, sizeof values);
  cudaMemcpyFromSymbol(&width, filter::width, sizeof width);
  static float here[4];
  cudaMemcpyToSymbol(here, values, sizeof values);
  sum<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  std::printf("%g %d\n", *out, width);
  cudaFree(out);
}
