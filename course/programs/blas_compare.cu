// A tiled product beside cuBLAS on the same row-major data.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int tile = 16;

__global__ void tiled(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float as[tile][tile], bs[tile][tile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * tile + y, col = blockIdx.x * tile + x;
  float sum = 0;
  for (int from = 0; from < k; from += tile) {
    as[y][x] = row < m && from + x < k ? a[row * k + from + x] : 0;
    bs[y][x] = col < n && from + y < k ? b[(from + y) * n + col] : 0;
    __syncthreads();
    for (int i = 0; i < tile; ++i) sum += as[y][i] * bs[i][x];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

int main() {
  constexpr int m = 64, n = 48, k = 32;
  std::vector<float> a(m * k), b(k * n), ours(m * n), theirs(m * n);
  for (int i = 0; i < m * k; ++i) a[i] = float(i % 7);
  for (int i = 0; i < k * n; ++i) b[i] = float(i % 5);
  float *da = nullptr, *db = nullptr, *dc = nullptr;
  cudaMalloc(&da, a.size() * sizeof(float));
  cudaMalloc(&db, b.size() * sizeof(float));
  cudaMalloc(&dc, ours.size() * sizeof(float));
  cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
  tiled<<<dim3((n + tile - 1) / tile, (m + tile - 1) / tile), dim3(tile, tile)>>>(da, db, dc, m, n,
                                                                                  k);
  cudaMemcpy(ours.data(), dc, ours.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cublasHandle_t handle;
  cublasCreate(&handle);
  const float one = 1, zero = 0;
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, db, n, da, k, &zero, dc, n);
  cudaMemcpy(theirs.data(), dc, theirs.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cublasDestroy(handle);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  float largest = 0;
  for (int i = 0; i < m * n; ++i) largest = std::max(largest, std::fabs(ours[i] - theirs[i]));
  std::printf("largest difference %g\nc[0][0] = %g\n", largest, ours[0]);
}
