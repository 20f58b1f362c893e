// __syncthreads and shared memory of a dependent size.
#include <cstdio>
#include <vector>

template <int Tile>
__global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float as[Tile][Tile], bs[Tile][Tile + 1];
  const int row = blockIdx.y * Tile + threadIdx.y, col = blockIdx.x * Tile + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n; t += Tile) {
    as[threadIdx.y][threadIdx.x] =
        row < n && t + threadIdx.x < n ? a[row * n + t + threadIdx.x] : 0.0f;
    bs[threadIdx.y][threadIdx.x] =
        col < n && t + threadIdx.y < n ? b[(t + threadIdx.y) * n + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < Tile; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  if (row < n && col < n) c[row * n + col] = sum;
}

template <int Tile>
int check(int n) {
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; ++i) {
    a[i] = static_cast<float>((i * 7) % 13 - 6);
    b[i] = static_cast<float>((i * 5) % 11 - 5);
  }
  float *da, *db, *dc;
  size_t bytes = n * n * sizeof(float);
  cudaMalloc(&da, bytes);
  cudaMalloc(&db, bytes);
  cudaMalloc(&dc, bytes);
  cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice);
  dim3 block(Tile, Tile), grid((n + Tile - 1) / Tile, (n + Tile - 1) / Tile);
  matmul<Tile><<<grid, block>>>(da, db, dc, n);
  cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      wrong += sum != c[i * n + j];
    }
  }
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  return wrong;
}

int main() {
  printf("%d %d %d\n", check<16>(65), check<8>(64), check<32>(97));
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
