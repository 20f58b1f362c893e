// A warp-specialised product: one warp feeds a ring of stages by TMA, a warp group multiplies with
// wgmma and stores through TMA. Any single wait, fence or arrival left out must be found by --check.
#include <cuda_bf16.h>

#include <cmath>
#include <cstdlib>
#include <vector>

#include "hopper.h"

constexpr int tile_m = 64, tile_n = 64, tile_k = 64, stages = 3;

struct alignas(1024) Shared {
  __nv_bfloat16 a[stages][tile_m * tile_k];
  __nv_bfloat16 b[stages][tile_n * tile_k];
  float c[tile_m * tile_n];  // two boxes of 32 columns
  alignas(8) uint64_t full[stages], empty[stages];
};

__global__ void __launch_bounds__(256)
    gemm(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
         const __grid_constant__ CUtensorMap c, int steps, int tiles) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Shared& s = *reinterpret_cast<Shared*>(memory);
  if (threadIdx.x == 0) {
    for (int i = 0; i < stages; ++i) {
      hopper::init(&s.full[i], 1);
      hopper::init(&s.empty[i], 128);
    }
    hopper::fence_init();  // mutate
  }
  __syncthreads();  // mutate
  const int row = blockIdx.y * tile_m;
  if (threadIdx.x >= 128) {
    if (threadIdx.x != 128) return;
    int stage = 0, parity = 0;
    for (int step = 0; step < tiles * steps; ++step) {
      const int column = step / steps * tile_n;
      hopper::wait(&s.empty[stage], parity ^ 1);                                       // mutate
      hopper::expect(&s.full[stage], 2 * (tile_m + tile_n) * tile_k);                  // mutate
      hopper::load_2d(s.a[stage], &a, step % steps * tile_k, row, &s.full[stage]);     // mutate
      hopper::load_2d(s.b[stage], &b, step % steps * tile_k, column, &s.full[stage]);  // mutate
      if (++stage == stages) {
        stage = 0;
        parity ^= 1;  // mutate
      }
    }
    return;
  }
  int stage = 0, parity = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    float d[32];
    for (int step = 0; step < steps; ++step) {
      hopper::wait(&s.full[stage], parity);  // mutate
      hopper::fence_products();              // mutate
      for (int k = 0; k < tile_k / 16; ++k) {
        hopper::multiply(d, hopper::descriptor(s.a[stage] + 16 * k),
                         hopper::descriptor(s.b[stage] + 16 * k), step + k > 0);
      }
      hopper::commit_products();        // mutate
      hopper::wait_products<0>();       // mutate
      hopper::arrive(&s.empty[stage]);  // mutate
      if (++stage == stages) {
        stage = 0;
        parity ^= 1;  // mutate
      }
    }
    if (threadIdx.x == 0) hopper::wait_stores_read();  // mutate
    asm volatile("bar.sync 1, 128;" ::: "memory");     // mutate
    const int lane = threadIdx.x % 32, first = threadIdx.x / 32 * 16 + lane / 4;
    for (int i = 0; i < 32; ++i) {
      const int r = first + i / 2 % 2 * 8, column = i / 4 * 8 + lane % 4 * 2 + i % 2;
      s.c[(column / 32 * tile_m + r) * 32 + column % 32] = d[i];
    }
    hopper::fence_async();                          // mutate
    asm volatile("bar.sync 2, 128;" ::: "memory");  // mutate
    if (threadIdx.x == 0) {
      hopper::store_2d(&c, tile * tile_n, row, s.c);
      hopper::store_2d(&c, tile * tile_n + 32, row, s.c + tile_m * 32);
      hopper::commit_stores();  // mutate
    }
  }
  if (threadIdx.x == 0) hopper::wait_stores();  // mutate
}

int main() {
  const int m = 192, n = 192, k = 320;
  __nv_bfloat16 *a, *b;
  float* c;
  cudaMallocManaged(&a, m * k * sizeof *a);
  cudaMallocManaged(&b, n * k * sizeof *b);
  cudaMallocManaged(&c, m * n * sizeof *c);
  srand(1);
  for (int i = 0; i < m * k; ++i) a[i] = __float2bfloat16(float(rand() % 256 - 128) / 64);
  for (int i = 0; i < n * k; ++i) b[i] = __float2bfloat16(float(rand() % 256 - 128) / 64);
  using hopper::matrix_map;
  const auto type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  const CUtensorMap map_a =
      matrix_map(type, 2, a, k, m, tile_k, tile_m, CU_TENSOR_MAP_SWIZZLE_128B);
  const CUtensorMap map_b =
      matrix_map(type, 2, b, k, n, tile_k, tile_n, CU_TENSOR_MAP_SWIZZLE_128B);
  const CUtensorMap map_c = matrix_map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, c, n, m, 32, tile_m,
                                       CU_TENSOR_MAP_SWIZZLE_NONE);
  cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, int(sizeof(Shared)));
  gemm<<<dim3(1, m / tile_m), 256, sizeof(Shared)>>>(map_a, map_b, map_c, k / tile_k, n / tile_n);
  if (const cudaError_t error = cudaDeviceSynchronize()) {
    printf("%s\n", cudaGetErrorName(error));
    return 1;
  }
  int wrong = 0;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l) sum += double(float(a[i * k + l])) * float(b[j * k + l]);
      wrong += !(std::fabs(sum - c[i * n + j]) < 1e-3);
    }
  }
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
