// Three errors, each named, each cleared; then a launch that works.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void nothing() {}

void show(const char* what, cudaError_t error) {
  std::printf("%s: %s\n", what, cudaGetErrorName(error));
  cudaGetLastError();  // clears it
}

int main() {
  nothing<<<1, 1025>>>();  // its name is another one in older versions of CUDA
  std::printf("1025 threads: %s\n", cudaGetLastError() == cudaSuccess ? "taken" : "refused");
  void* room = nullptr;
  show("too much memory", cudaMalloc(&room, std::size_t(1) << 50));
  const int one = 1;
  show("null pointer", cudaMemcpy(nullptr, &one, sizeof one, cudaMemcpyHostToDevice));
  nothing<<<1, 32>>>();
  show("afterwards", cudaDeviceSynchronize());
}
