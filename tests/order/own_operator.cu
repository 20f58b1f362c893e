// A scan by an operator of the caller's own, which is associative and not commutative: the recurrence h[i] = a[i] * h[i - 1] + b[i]
// in one launch, with the block scan and the look-back that the rungs of scan use.
#include <cstdio>
#include <vector>

#include "ops/order/look_back.cuh"

// The map h -> a * h + b. Integers modulo 2^32, so that every order of the operations gives the same bits.
struct Map {
  unsigned a, b;
};
// First f, then g.
struct Then {
  __host__ __device__ Map operator()(Map f, Map g) const { return {f.a * g.a, g.a * f.b + g.b}; }
};
constexpr Map identity{1, 0};

// How a tile publishes a map: 62 bits of a word are free, so a and b get a word each.
template <>
struct warpath::order::Packed<Map> {
  static constexpr int words = 2;
  static __device__ std::uint64_t pack(Map f, int i) { return i == 0 ? f.a : f.b; }
  static __device__ Map unpack(const std::uint64_t* w) { return {unsigned(w[0]), unsigned(w[1])}; }
};

using namespace warpath;
using order::Board;

constexpr int threads = 64, items = 3, tile = threads * items;

// h[i] = (f[0], then f[1], ... then f[i]) of h_before.
__global__ void recurrence(const Map* f, unsigned* h, unsigned h_before, std::int64_t n,
                           Board board) {
  __shared__ Map slots[threads / 32];
  __shared__ Map before_tile;
  __shared__ Board::Tile taken;
  if (threadIdx.x == 0) taken = board.take();
  __syncthreads();
  const Board::Tile mine = taken;
  const std::int64_t first = mine.part * tile + threadIdx.x * items;
  Map item[items], all = identity;
#pragma unroll
  for (int k = 0; k < items; ++k) {
    item[k] = first + k < n ? f[first + k] : identity;
    all = Then{}(all, item[k]);
  }
  const BlockPrefix<Map> prefix = block_scan<threads>(all, identity, Then{}, slots);
  unsigned left = 0;
  if (threadIdx.x < 32) {
    const Map before = board.look_back(mine, prefix.all, identity, Then{});
    if (threadIdx.x == 0) {
      before_tile = before;
      left = board.leave(mine);
    }
  }
  __syncthreads();
  Map running = Then{}(before_tile, prefix.before);
#pragma unroll
  for (int k = 0; k < items; ++k) {
    running = Then{}(running, item[k]);
    if (first + k < n) h[first + k] = running.a * h_before + running.b;
  }
  if (threadIdx.x < 32) board.clean(mine, left);
}

int main() {
  const int n = 20011, tiles = (n + tile - 1) / tile;  // 105 tiles, four groups of the look-back
  const unsigned h_before = 7;
  std::vector<Map> maps(n);
  std::vector<unsigned> expected(n), found(n);
  unsigned state = 1, h = h_before;
  for (int i = 0; i < n; ++i) {
    maps[i].a = (state = state * 1664525u + 1013904223u) | 1;  // odd: no map forgets its h
    maps[i].b = state = state * 1664525u + 1013904223u;
    expected[i] = h = maps[i].a * h + maps[i].b;
  }
  const std::size_t board_bytes = Board::bytes(1, tiles, order::Packed<Map>::words);
  Map* f = nullptr;
  unsigned* to = nullptr;
  void* scratch = nullptr;
  if (cudaMalloc(&f, n * sizeof(Map)) != cudaSuccess) return 1;
  if (cudaMalloc(&to, n * sizeof(unsigned)) != cudaSuccess) return 1;
  if (cudaMalloc(&scratch, board_bytes) != cudaSuccess) return 1;
  cudaMemcpy(f, maps.data(), n * sizeof(Map), cudaMemcpyHostToDevice);
  cudaMemset(scratch, 0, board_bytes);
  int wrong = 0;
  for (int launch = 0; launch < 2 && wrong == 0; ++launch) {  // the board is zero again after one
    cudaMemset(to, 0, n * sizeof(unsigned));
    recurrence<<<tiles, threads>>>(f, to, h_before, n,
                                   Board(1, tiles, scratch, order::Packed<Map>::words));
    if (cudaMemcpy(found.data(), to, n * sizeof(unsigned), cudaMemcpyDeviceToHost) != cudaSuccess) {
      std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
      return 1;
    }
    for (int i = n - 1; i >= 0; --i)
      if (found[i] != expected[i]) wrong = i + 1;
    if (wrong > 0)
      std::printf("h[%d] is %u, not %u\n", wrong - 1, found[wrong - 1], expected[wrong - 1]);
  }
  cudaFree(f);
  cudaFree(to);
  cudaFree(scratch);
  if (wrong == 0) std::printf("%d values of the recurrence\n", n);
  return wrong > 0;
}
