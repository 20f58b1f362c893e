// Variables of the device, one of them hidden by nothing of the host's; host variables on the other side of the copy.
#include <cstdio>

float values[4] = {1, 2, 3, 4};
namespace filter {
static __device__ int width = 3;
}
__constant__ float used[4];

__global__ void sum(float* out) {
  for (int i = 0; i < 4; ++i) *out += used[i];
}
template <class T>
void put(T& symbol, const float* from) {
  cudaMemcpyToSymbol(symbol, from, sizeof symbol);
}

int main() {
  float* out;
  int width = 0;
  cudaMallocManaged(&out, sizeof(float));
  *out = 0;
  cudaMemcpyToSymbol(used, values, sizeof values);
  put(used, values);
  // Addresses, which say nothing of the variable they come from.
  const void* symbol = &used;
  cudaMemcpyToSymbol(symbol, values, sizeof values);
  (void)cudaMemcpyToSymbol((const void*)&values, values, sizeof values);
  cudaMemcpyFromSymbol(&width, filter::width, sizeof width);
  cudaMemcpyFromSymbol(values, used, sizeof values);
  sum<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  std::printf("%g %d\n", *out, width);
  cudaFree(out);
}
