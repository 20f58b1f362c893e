// Launches that are refused, by a program that looks at the error: after each launch, after the wait, or by trying again.
#include <cstdio>

__global__ void fill(float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 1.0f;
}
__global__ void reverse(float* out, int n) {
  extern __shared__ float tile[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = out[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = tile[n - 1 - i];
}

int main() {
  const int n = 16384;
  float* out;
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(out, 0, n * sizeof(float));
  int threads = 4096;
  for (; threads > 0; threads /= 2) {
    fill<<<n / threads, threads>>>(out, n);
    if (cudaGetLastError() == cudaSuccess) break;
  }
  reverse<<<1, 256, n * sizeof(float)>>>(out, n);
  cudaDeviceSynchronize();
  if (const cudaError_t error = cudaPeekAtLastError()) {
    cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, n * sizeof(float));
    reverse<<<1, 256, n * sizeof(float)>>>(out, n);
    std::printf("%s at first\n", cudaGetErrorString(error));
  }
  void* args[] = {&out, const_cast<int*>(&n)};
  if (cudaLaunchKernel((const void*)fill, dim3(1), dim3(2000), args, 0, nullptr) != cudaSuccess)
    std::printf("2000 threads are too many\n");
  std::printf("%d\n", threads);
  cudaFree(out);
}
