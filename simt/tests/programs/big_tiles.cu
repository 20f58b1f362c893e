// Cooperative groups: tiles of several warps, and one thread that works for its group.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cstdio>

namespace cg = cooperative_groups;

#define EXPECT(condition) \
  if (!(condition)) printf("line %d: thread %u\n", __LINE__, cg::this_thread_block().thread_rank())

template <unsigned N>
__device__ void facts() {
  __shared__ cg::block_tile_memory<1024> memory;
  __shared__ int board[1024];
  const cg::thread_block block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<N>(block);
  const int t = threadIdx.x, r = t % N, first = t - r;
  EXPECT(tile.size() == N && tile.num_threads() == N && int(tile.thread_rank()) == r);
  EXPECT(tile.meta_group_rank() == t / N && tile.meta_group_size() == 1024 / N);
  // Its barrier is the tile's own: another tile may be elsewhere.
  board[t] = t;
  tile.sync();
  EXPECT(board[first + (r + 33) % N] == first + int((r + 33) % N));
  if (t / N % 2 == 0) {
    for (int k = 0; k < 3; ++k) cg::sync(tile);
  } else {
    tile.sync();
  }
  EXPECT(tile.shfl(t, 40) == first + 40 && tile.shfl(double(t), N - 1) == first + N - 1.0);
  EXPECT(tile.any(r == int(N) - 1) && !tile.any(r < 0));
  EXPECT(tile.all(r >= 0) && !tile.all(r != 37));
  EXPECT(cg::reduce(tile, t, cg::plus<int>()) == int(N * first + N * (N - 1) / 2));
  EXPECT(cg::reduce(tile, r * 0.5f, cg::greater<float>()) == (N - 1) * 0.5f);
  EXPECT(cg::reduce(tile, t, [](int a, int b) { return a < b ? a : b; }) == first);
  EXPECT(cg::inclusive_scan(tile, 2) == 2 * (r + 1) && cg::exclusive_scan(tile, 2) == 2 * r);
  EXPECT(cg::inclusive_scan(tile, t, cg::greater<int>()) == t);
  const auto warp = cg::tiled_partition<32>(tile);
  EXPECT(warp.meta_group_size() == N / 32 && int(warp.meta_group_rank()) == r / 32);
  const cg::thread_block_tile<N> plain = tile;
  EXPECT(plain.meta_group_rank() == tile.meta_group_rank());
}

__global__ void tiles() {
  facts<64>();
  facts<128>();
  facts<256>();
  facts<512>();
  facts<1024>();
}

// Sums of floats: lanes by halving distance, then warps likewise.
__global__ void order(float* sum) {
  const auto tile = cg::tiled_partition<128>(cg::this_thread_block());
  const float total = cg::reduce(tile, 1.0f / float(1 + threadIdx.x), cg::plus<float>());
  if (tile.thread_rank() == 0) *sum = total;
}

__global__ void one(int* count) {
  const cg::thread_block block = cg::this_thread_block();
  cg::invoke_one(block, [&] { atomicAdd(count, 1); });
  const auto tile = cg::tiled_partition<16>(block);
  cg::invoke_one(
      tile, [](int* c, int n) { atomicAdd(c, n); }, count, 100);
  const int turn = cg::invoke_one_broadcast(tile, [&] { return int(threadIdx.x) + 5; });
  EXPECT(turn == int(threadIdx.x) / 16 * 16 + 5);
  const cg::coalesced_group here = cg::coalesced_threads();
  EXPECT(cg::invoke_one_broadcast(
             here, [](int n) { return 3 * n; }, 7) == 21);
}

int main() {
  tiles<<<2, 1024>>>();
  printf("tiles: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  float* sum;
  cudaMallocManaged(&sum, sizeof(float));
  order<<<1, 128>>>(sum);
  printf("order: %s, %a\n", cudaGetErrorName(cudaDeviceSynchronize()), *sum);
  float lanes[128];
  for (int i = 0; i < 128; ++i) lanes[i] = 1.0f / float(1 + i);
  for (int w = 0; w < 4; ++w) {
    for (int half = 16; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) lanes[w * 32 + i] += lanes[w * 32 + i + half];
    }
  }
  lanes[0] += lanes[64];
  lanes[32] += lanes[96];
  printf("order: %s\n", lanes[0] + lanes[32] == *sum ? "by halves" : "in another way");
  int* count;
  cudaMallocManaged(&count, sizeof(int));
  *count = 0;
  one<<<3, 64>>>(count);
  printf("one: %s, %d\n", cudaGetErrorName(cudaDeviceSynchronize()), *count);
  cudaFree(sum);
  cudaFree(count);
}
