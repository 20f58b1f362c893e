// A row-major product by cuBLAS, which stores by columns: the operands change places, nothing is transposed.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstdio>

int main() {
  constexpr int m = 2, n = 2, k = 3;
  const float a[m * k] = {1, 2, 3, 4, 5, 6}, b[k * n] = {1, 2, 3, 4, 5, 6}, one = 1, zero = 0;
  float *da = nullptr, *db = nullptr, *dc = nullptr, c[m * n];
  cudaMalloc(&da, sizeof a);
  cudaMalloc(&db, sizeof b);
  cudaMalloc(&dc, sizeof c);
  cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice);
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, db, n, da, k, &zero, dc, n);
  cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost);
  for (int r = 0; r < m; ++r) std::printf("%g %g\n", c[r * n], c[r * n + 1]);
  cublasDestroy(handle);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
}
