// Cooperative groups inside a block: tiles, coalesced groups, partitions, reductions and scans.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cstdio>

namespace cg = cooperative_groups;

#define EXPECT(condition) \
  if (!(condition)) printf("line %d: thread %u\n", __LINE__, cg::this_thread_block().thread_rank())

struct Big {
  double a, b;
  int c;
};

__global__ void block_facts() {
  const cg::thread_block block = cg::this_thread_block();
  EXPECT(block.size() == 24 && block.num_threads() == 24 && cg::group_size(block) == 24);
  EXPECT(block.thread_rank() == threadIdx.x + 8 * threadIdx.y);
  EXPECT(block.group_index().x == blockIdx.x && block.thread_index().y == threadIdx.y);
  EXPECT(block.dim_threads().x == 8 && block.group_dim().y == 3);
  const cg::grid_group grid = cg::this_grid();
  EXPECT(!grid.is_valid() && grid.num_blocks() == 6 && grid.size() == 144);
  EXPECT(grid.block_rank() == blockIdx.x + 2 * blockIdx.y);
  EXPECT(grid.thread_rank() == grid.block_rank() * 24 + block.thread_rank());
  EXPECT(cg::this_cluster().num_blocks() == 1 && cg::this_cluster().block_rank() == 0);
  EXPECT(cg::this_thread().size() == 1);
}

template <unsigned N>
__device__ void tile_facts() {
  const auto tile = cg::tiled_partition<N>(cg::this_thread_block());
  const int t = threadIdx.x, r = t % N, first = t - r;
  EXPECT(tile.size() == N && int(tile.thread_rank()) == r);
  EXPECT(tile.meta_group_rank() == t / N && tile.meta_group_size() == 64 / N);
  EXPECT(tile.shfl(t, 0) == first && tile.shfl(char(t), N - 1) == char(first + N - 1));
  EXPECT(tile.shfl_up(t, 1) == (r > 0 ? t - 1 : t));
  EXPECT(tile.shfl_down(t, 1) == (r + 1 < int(N) ? t + 1 : t));
  if (N > 1) EXPECT(tile.shfl_xor(t, 1) == (t ^ 1));
  const Big big = tile.shfl(Big{t * 1.0, t * 2.0, t}, N / 2);
  const int middle = first + N / 2;
  EXPECT(big.a == middle && big.b == 2 * middle && big.c == middle);
  EXPECT(tile.any(r == 0) && tile.all(t >= 0) && !tile.any(t < 0));
  EXPECT(tile.ballot(r == int(N) - 1) == 1u << (N - 1));
  int same;
  EXPECT(tile.match_any(r / 2) == (N == 1 ? 1u : 3u << (r / 2 * 2)));
  EXPECT(tile.match_all(first, same) == (N == 32 ? ~0u : (1u << N) - 1) && same == 1);
  tile.sync();
  cg::sync(tile);
  EXPECT(cg::reduce(tile, t, cg::plus<int>()) == int(N * first + N * (N - 1) / 2));
  EXPECT(cg::reduce(tile, t * 0.5f, cg::greater<float>()) == (first + N - 1) * 0.5f);
  EXPECT(cg::reduce(tile, unsigned(t), cg::less<unsigned>()) == unsigned(first));
  EXPECT(cg::reduce(tile, 1u << (r % 8), cg::bit_or<unsigned>()) == (1u << (N < 8 ? N : 8)) - 1);
  EXPECT(cg::reduce(tile, ~(1 << r), cg::bit_and<>()) == ~(N == 32 ? -1 : (1 << N) - 1));
  EXPECT(cg::reduce(tile, 3, cg::bit_xor<int>()) == (N == 1 ? 3 : 0));
  EXPECT(cg::reduce(tile, t, [](int a, int b) { return a > b ? a : b; }) == int(first + N - 1));
  EXPECT(cg::inclusive_scan(tile, 2) == 2 * (r + 1) && cg::exclusive_scan(tile, 2) == 2 * r);
  EXPECT(cg::inclusive_scan(tile, t, cg::greater<int>()) == t);
  EXPECT(cg::exclusive_scan(tile, t, cg::greater<int>()) == (r == 0 ? 0 : t - 1));
}

__global__ void tiles() {
  tile_facts<1>();
  tile_facts<2>();
  tile_facts<4>();
  tile_facts<8>();
  tile_facts<16>();
  tile_facts<32>();
  // A tile of a tile, and one whose parent is forgotten.
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const auto quad = cg::tiled_partition<4>(warp);
  EXPECT(quad.meta_group_rank() == threadIdx.x % 32 / 4 && quad.meta_group_size() == 8);
  const cg::thread_block_tile<4> plain = quad;
  EXPECT(plain.shfl(int(threadIdx.x), 3) == int(threadIdx.x | 3u));
  // Groups whose kind shows at run time only.
  const cg::thread_group eight = cg::tiled_partition(cg::this_thread_block(), 8);
  EXPECT(eight.size() == 8 && eight.thread_rank() == threadIdx.x % 8);
  const cg::thread_group two = cg::tiled_partition(eight, 2);
  EXPECT(two.size() == 2 && two.thread_rank() == threadIdx.x % 2);
  two.sync();
  const cg::thread_group block = cg::this_thread_block();
  EXPECT(block.size() == 64 && block.thread_rank() == threadIdx.x);
  block.sync();
}

__global__ void coalesced(int* counter) {
  const int t = threadIdx.x;
  if (t % 3 == 1) {
    const cg::coalesced_group group = cg::coalesced_threads();
    const int size = t < 32 ? 11 : 10;  // 1, 4, .. 31 and 34, 37, .. 61
    const int first = t < 32 ? 1 : 34;
    EXPECT(int(group.size()) == size && int(group.thread_rank()) == (t - first) / 3);
    EXPECT(group.shfl(t, 2) == first + 6);
    EXPECT(group.shfl_up(t, 1) == (t == first ? t : t - 3));
    EXPECT(group.shfl_down(t, 2) == ((t - first) / 3 + 2 < size ? t + 6 : t));
    EXPECT(group.ballot(t == first + 3) == 2u && group.any(t == first) && !group.all(t == first));
    EXPECT(group.match_any(t > first) == (t == first ? 1u : (1u << size) - 2));
    int same;
    EXPECT(group.match_all(5, same) == (1u << size) - 1 && same == 1);
    EXPECT(cg::reduce(group, t, cg::plus<int>()) == size * first + 3 * size * (size - 1) / 2);
    EXPECT(cg::reduce(group, t, cg::less<int>()) == first);
    EXPECT(cg::inclusive_scan(group, 1) == (t - first) / 3 + 1);
    EXPECT(cg::exclusive_scan(group, 1) == (t - first) / 3);
    // One atomic for all of them.
    int base = 0;
    if (group.thread_rank() == 0) base = atomicAdd(counter, int(group.size()));
    base = group.shfl(base, 0);
    EXPECT(base >= 0 && base + size <= 21);
    const cg::coalesced_group pair = cg::tiled_partition(group, 2);
    EXPECT(pair.meta_group_rank() == group.thread_rank() / 2);
    EXPECT(pair.size() == (int(group.thread_rank()) == size - 1 && size % 2 == 1 ? 1 : 2));
    group.sync();
  }
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const cg::coalesced_group by_label = cg::labeled_partition(warp, t % 5);
  unsigned equal = 0;
  for (int other = t / 32 * 32; other < t / 32 * 32 + 32; ++other) equal += other % 5 == t % 5;
  EXPECT(by_label.size() == equal);
  EXPECT(cg::reduce(by_label, t % 5, cg::plus<int>()) == int(by_label.size()) * (t % 5));
  EXPECT(by_label.meta_group_size() == 5);
  const cg::coalesced_group half = cg::binary_partition(warp, t % 32 < 8);
  EXPECT(half.size() == (t % 32 < 8 ? 8 : 24) && half.meta_group_size() == 2);
}

// The last warp has 8 lanes only.
__global__ void partial() {
  const auto eight = cg::tiled_partition<8>(cg::this_thread_block());
  EXPECT(cg::reduce(eight, 1, cg::plus<int>()) == 8);
  const cg::coalesced_group all = cg::coalesced_threads();
  EXPECT(all.size() == (threadIdx.x < 32 ? 32u : 8u));
}

__global__ void grid_sums(int* data, int* bad) {
  const cg::grid_group grid = cg::this_grid();
  EXPECT(grid.is_valid());
  for (int k = 0; k < 5; ++k) {
    if (threadIdx.x == 0) data[blockIdx.x] = k;
    grid.sync();
    if (data[(blockIdx.x + 1) % gridDim.x] != k) atomicAdd(bad, 1);
    grid.sync();
  }
}

// A cooperative grid of clusters: both barriers.
__global__ void __cluster_dims__(2) grid_of_clusters(int* data, int* bad) {
  __shared__ int mine;
  mine = blockIdx.x;
  cg::this_cluster().sync();
  const int other = *cg::this_cluster().map_shared_rank(&mine, 1 - cg::this_cluster().block_rank());
  if (threadIdx.x == 0) data[blockIdx.x] = other;
  cg::this_grid().sync();
  if (data[(blockIdx.x + 3) % gridDim.x] != int(((blockIdx.x + 3) % gridDim.x) ^ 1)) {
    atomicAdd(bad, 1);
  }
  cg::this_cluster().sync();
}

int main() {
  int* p;
  cudaMallocManaged(&p, 1024);
  cudaMemset(p, 0, 1024);
  int *counter = p + 100, *bad = p + 101;
  block_facts<<<dim3(2, 3), dim3(8, 3)>>>();
  printf("block: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  tiles<<<1, 64>>>();
  printf("tiles: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  coalesced<<<1, 64>>>(counter);
  printf("coalesced: %s, %d\n", cudaGetErrorName(cudaDeviceSynchronize()), *counter);
  partial<<<1, 40>>>();
  printf("partial: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  void* args[] = {&p, &bad};
  cudaLaunchCooperativeKernel((void*)grid_sums, 7, 33, args, 0, 0);
  printf("grid: %s, %d bad\n", cudaGetErrorName(cudaDeviceSynchronize()), *bad);
  cudaLaunchCooperativeKernel((void*)grid_of_clusters, 8, 33, args, 0, 0);
  printf("clusters: %s, %d bad\n", cudaGetErrorName(cudaDeviceSynchronize()), *bad);
}
