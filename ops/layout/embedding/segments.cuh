// The tokens of frequent rows (those of more than 32) in their order: a segment of memory per row, filled in any order and
// sorted in shared memory.
#pragma once
#include "ops/layout/embedding/buckets.cuh"

namespace warpath::embedding {

inline constexpr int threads = 256, warps = threads / 32;

struct Frequent {
  unsigned row, tokens, start, first_chunk;  // start: of its segment
};

__host__ __device__ __forceinline__ unsigned chunk_of(unsigned tokens) {
  unsigned size = places;
  while (std::uint64_t(size) * size < tokens) size *= 2;
  return size;
}
// At most: every frequent row ends with a chunk that is not full.
inline std::int64_t most_rows(const Backward& args) {
  return args.ids.size() / (places + 1);
}
inline std::int64_t most_chunks(const Backward& args) {
  return args.ids.size() / places + most_rows(args);
}

// What the launches hand on, in scratch memory.
struct Parts {
  unsigned *counts, *cursors;  // of tokens by row; of frequent rows, segments and chunks
  unsigned *buckets, *place, *segments, *sorted, *owner;  // owner: the frequent row of a chunk
  Frequent* frequent;
  float* partial;  // a row of sums for each chunk
  std::int64_t bytes;

  static Parts of(const Backward& args) {
    const std::int64_t rows = args.dtable.shape[0], tokens = args.ids.size();
    char* const base = static_cast<char*>(args.scratch.data);
    Parts p{};
    const auto take = [&](auto*& at, std::int64_t count) {
      at = reinterpret_cast<std::remove_reference_t<decltype(at)>>(base + p.bytes);
      p.bytes += ceil_div(count * std::int64_t(sizeof *at), std::int64_t(16)) * 16;
    };
    take(p.counts, rows);
    take(p.cursors, 3);
    take(p.buckets, rows * places);
    take(p.place, tokens);
    take(p.segments, tokens);
    take(p.sorted, tokens);
    take(p.owner, most_chunks(args));
    take(p.frequent, most_rows(args));
    take(p.partial, most_chunks(args) * args.dtable.shape[1]);
    return p;
  }
};

// Only frequent rows still have a count: those of the others are zero again.
static __global__ void __launch_bounds__(threads)
    fill_segments(Ids ids, std::int64_t tokens, std::int64_t padding, Parts p) {
  const std::int64_t t = std::int64_t(blockIdx.x) * threads + threadIdx.x;
  if (t >= tokens) return;
  const std::int64_t row = ids[t];
  if (row != padding && p.counts[row] > places)
    p.segments[p.buckets[row * places] + p.place[t]] = unsigned(t);
}

// A bit per token: 32 * words tokens at a time.

static __global__ void __launch_bounds__(threads) sort_segments(std::int64_t tokens, Parts p) {
  constexpr int each = 8, words = threads * each;
  __shared__ unsigned bits[words];
  __shared__ int slots[warps];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (unsigned f = blockIdx.x; f < p.cursors[0]; f += gridDim.x) {
    const Frequent row = p.frequent[f];
    unsigned* to = p.sorted + row.start;
    for (std::int64_t window = 0; window < tokens; window += 32 * words) {
      for (int w = threadIdx.x; w < words; w += threads) bits[w] = 0;
      __syncthreads();
      for (unsigned i = threadIdx.x; i < row.tokens; i += threads) {
        const std::int64_t t = std::int64_t(p.segments[row.start + i]) - window;
        if (t >= 0 && t < 32 * words) atomicOr(&bits[t / 32], 1u << (t % 32));
      }
      __syncthreads();
      int own = 0;
      for (int k = 0; k < each; ++k) own += __popc(bits[threadIdx.x * each + k]);
      int before = own;  // of this warp, this lane included
      for (int step = 1; step < 32; step *= 2) {
        const int other = __shfl_up_sync(full_mask, before, step);
        if (lane >= step) before += other;
      }
      if (lane == 31) slots[warp] = before;
      __syncthreads();
      int at = before - own, all = 0;
      for (int w = 0; w < warps; ++w) {
        if (w < warp) at += slots[w];
        all += slots[w];
      }
      for (int k = 0; k < each; ++k)
        for (unsigned left = bits[threadIdx.x * each + k]; left; left &= left - 1)
          to[at++] = unsigned(window) + (threadIdx.x * each + k) * 32 + __ffs(int(left)) - 1;
      to += all;
      __syncthreads();  // bits and slots are written again
    }
  }
}

}  // namespace warpath::embedding
