// Calls of the CUDA API that fail, and whose result is dropped: the answer is the one of another array.
#include <cstdio>

__global__ void add(float* out, float value) {
  out[threadIdx.x] += value;
}

int main() {
  float* out;
  float* large = nullptr;
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMemset(out, 0, 64 * sizeof(float));
  cudaMalloc(&large, size_t{1} << 50);
  cudaSetDevice(7);
  cudaFuncSetAttribute(add, cudaFuncAttributeMaxDynamicSharedMemorySize, 300 * 1024);
  if (large == nullptr) cudaMemcpyAsync(out, nullptr, 4, cudaMemcpyHostToDevice);
  float value = 1.0f;
  void* args[] = {&out, &value};
  cudaLaunchKernel((const void*)add, dim3(1), dim3(64, 32), args, 0, nullptr);
  add<<<1, 64>>>(large != nullptr ? large : out, value);
  float first = 0;
  cudaMemcpy(&first, out, sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%g\n", first);
  cudaFree(out);
}
