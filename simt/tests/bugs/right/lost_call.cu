// Calls of the CUDA API that may fail, by a program that tests the result, asks for it later, or says that it does not
// matter.
#include <cstdio>

__global__ void add(float* out, float value) {
  out[threadIdx.x] += value;
}

static cudaError_t allocate(float** to, size_t bytes) {
  const cudaError_t error = cudaMalloc(to, bytes);
  if (error != cudaSuccess) cudaGetLastError();
  return error;
}

int main() {
  float* out;
  float* large = nullptr;
  if (allocate(&large, size_t{1} << 50) != cudaSuccess && allocate(&out, 64 * 4) != cudaSuccess)
    return 1;
  cudaMemset(out, 0, 64 * sizeof(float));
  (void)cudaSetDevice(7);
  cudaDeviceEnablePeerAccess(1, 0);
  cudaDeviceEnablePeerAccess(1, 0);
  cudaGetLastError();
  int devices = 0;
  cudaGetDeviceCount(&devices);
  cudaEvent_t event;
  cudaEventCreate(&event);
  cudaEventRecord(event);
  cudaEventQuery(event);
  cudaStreamQuery(nullptr);
  int blocks = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 2048, 0);
  add<<<1, 64>>>(out, 1.0f);
  const bool copied = cudaMemcpy(out, nullptr, 4, cudaMemcpyDeviceToHost) == cudaSuccess;
  float first = 0;
  cudaMemcpy(&first, out, sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%g %d %d %d\n", first, devices, blocks, copied);
  cudaEventDestroy(event);
  cudaFree(out);
}
