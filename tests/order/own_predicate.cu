// Compaction by a predicate of the caller's own, in one launch: the block scan gives a kept element its place in the tile, the
// look-back the number of those kept before the tile. The order is kept.
#include <cstdio>
#include <vector>

#include "ops/order/look_back.cuh"

using namespace warpath;
using order::Board;

struct Particle {
  float x, y, mass;
};
// What the caller wants to keep: anything that takes an element and returns a bool, with numbers of its own.
struct InCircle {
  float x, y, radius;
  __host__ __device__ bool operator()(Particle p) const {
    const float dx = p.x - x, dy = p.y - y;
    return p.mass > 0 && dx * dx + dy * dy < radius * radius;
  }
};

constexpr int threads = 128;  // and elements per tile

template <class T, class Keep>
__global__ void select_if(const T* x, T* y, long long* count, std::int64_t n, Keep keep,
                          Board board) {
  __shared__ int slots[threads / 32];
  __shared__ long long kept_before;
  __shared__ Board::Tile taken;
  if (threadIdx.x == 0) taken = board.take();
  __syncthreads();
  const Board::Tile mine = taken;
  const std::int64_t i = mine.part * threads + threadIdx.x;
  const bool kept = i < n && keep(x[i]);  // padding is not tested: any predicate might pass it
  const BlockPrefix<int> prefix = block_scan<threads>(int(kept), 0, Sum{}, slots);
  unsigned left = 0;
  if (threadIdx.x < 32) {
    const auto all = (unsigned long long)prefix.all;
    const auto before = (long long)board.look_back(mine, all, 0ULL, Sum{});
    if (threadIdx.x == 0) {
      kept_before = before;
      left = board.leave(mine);
      if ((mine.part + 1) * threads >= n) *count = before + prefix.all;
    }
  }
  __syncthreads();
  if (kept) y[kept_before + prefix.before] = x[i];
  if (threadIdx.x < 32) board.clean(mine, left);
}

int main() {
  const int n = 9001, tiles = (n + threads - 1) / threads;  // 71 tiles, the last one not full
  const InCircle keep{0.5f, 0.25f, 0.4f};
  std::vector<Particle> particles(n), expected, found(n);
  unsigned state = 1;
  const auto random = [&] {
    return float((state = state * 1664525u + 1013904223u) >> 8) * 0x1p-24f;
  };
  for (Particle& p : particles) {
    p = {random(), random(), random() - 0.25f};
    if (keep(p)) expected.push_back(p);
  }
  const std::size_t bytes = n * sizeof(Particle), board_bytes = Board::bytes(1, tiles);
  Particle *from = nullptr, *to = nullptr;
  long long* count = nullptr;
  void* scratch = nullptr;
  if (cudaMalloc(&from, bytes) != cudaSuccess) return 1;
  if (cudaMalloc(&to, bytes) != cudaSuccess) return 1;
  if (cudaMalloc(&count, sizeof(long long)) != cudaSuccess) return 1;
  if (cudaMalloc(&scratch, board_bytes) != cudaSuccess) return 1;
  cudaMemcpy(from, particles.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemset(to, 0, bytes);
  cudaMemset(scratch, 0, board_bytes);
  select_if<<<tiles, threads>>>(from, to, count, n, keep, Board(1, tiles, scratch));
  long long kept = 0;
  cudaMemcpy(&kept, count, sizeof(kept), cudaMemcpyDeviceToHost);
  cudaMemcpy(found.data(), to, bytes, cudaMemcpyDeviceToHost);
  const cudaError_t error = cudaGetLastError();
  cudaFree(from);
  cudaFree(to);
  cudaFree(count);
  cudaFree(scratch);
  if (error != cudaSuccess) {
    std::printf("%s\n", cudaGetErrorString(error));
    return 1;
  }
  if (kept != (long long)expected.size()) {
    std::printf("%lld are kept, not %zu\n", kept, expected.size());
    return 1;
  }
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (found[i].x != expected[i].x || found[i].y != expected[i].y ||
        found[i].mass != expected[i].mass) {
      std::printf("place %zu has another particle\n", i);
      return 1;
    }
  std::printf("%lld of %d kept, in order\n", kept, n);
  return 0;
}
