// A helper forwards to the kernel as to a function: nothing runs.
#include <cstdio>

__global__ void add(float* out, float value) {
  out[threadIdx.x] += value;
}

template <class Kernel, class... Arguments>
void launch(Kernel kernel, Arguments... arguments) {
  kernel(arguments...);
}

int main() {
  float* out;
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMemset(out, 0, 64 * sizeof(float));
  launch(add, out, 1.0f);
  cudaDeviceSynchronize();
  float first = 0;
  cudaMemcpy(&first, out, sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%g\n", first);
  cudaFree(out);
}
