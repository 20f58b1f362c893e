// The same with sizes that fit; what fails is looked at.
#include <cublas_v2.h>

#include <cstdio>

int main() {
  const int n = 8;
  const float one = 1.0f, zero = 0.0f;
  float *a, *c;
  cudaMalloc(&a, n * n * sizeof(float));
  cudaMalloc(&c, n * n * sizeof(float));
  cudaMemset(a, 0, n * n * sizeof(float));
  cudaMemset(c, 0, n * n * sizeof(float));
  cublasHandle_t handle = nullptr;
  if (cublasSscal(handle, n, &one, a, 1) != CUBLAS_STATUS_SUCCESS) std::puts("no handle");
  cublasCreate(&handle);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, a, n, &zero, c, n);
  cublasSgemv(handle, CUBLAS_OP_N, n, n, &one, a, n, a, 1, &zero, c, 1);
  float first = 0;
  cudaMemcpy(&first, c, sizeof first, cudaMemcpyDeviceToHost);
  std::printf("%g\n", first);
  cublasDestroy(handle);
  cudaFree(a);
  cudaFree(c);
}
