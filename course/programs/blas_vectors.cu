// Vectors by cuBLAS: dot, axpy, and the places of the largest and smallest magnitude.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstdio>

int main() {
  constexpr int n = 4;
  const float x[n] = {1, -5, 3, 2}, y[n] = {2, 2, 2, 2}, a = 2;
  float *dx = nullptr, *dy = nullptr, dot = 0, sum[n];
  cudaMalloc(&dx, sizeof x);
  cudaMalloc(&dy, sizeof y);
  cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y, sizeof y, cudaMemcpyHostToDevice);
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasSdot(handle, n, dx, 1, dy, 1, &dot);
  std::printf("dot %g\n", dot);
  cublasSaxpy(handle, n, &a, dx, 1, dy, 1);
  cudaMemcpy(sum, dy, sizeof sum, cudaMemcpyDeviceToHost);
  std::printf("axpy %g %g %g %g\n", sum[0], sum[1], sum[2], sum[3]);
  int largest = 0, smallest = 0;
  cublasIsamax(handle, n, dx, 1, &largest);
  cublasIsamin(handle, n, dx, 1, &smallest);
  std::printf("amax %d amin %d\n", largest, smallest);
  cublasDestroy(handle);
  cudaFree(dx);
  cudaFree(dy);
}
