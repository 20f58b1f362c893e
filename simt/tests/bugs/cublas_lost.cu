// cuBLAS refuses a leading dimension and a null handle, and the program does not look.
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
  cublasSscal(handle, n, &one, a, 1);
  cublasCreate(&handle);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, 4, a, n, &zero, c, n);
  cublasSgemv(handle, CUBLAS_OP_N, n, n, &one, a, n, a, 0, &zero, c, 1);
  float first = 0;
  cudaMemcpy(&first, c, sizeof first, cudaMemcpyDeviceToHost);
  std::printf("%g\n", first);
  cublasDestroy(handle);
  cudaFree(a);
  cudaFree(c);
}
