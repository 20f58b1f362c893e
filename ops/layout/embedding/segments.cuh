// The tokens of frequent rows (those of more than `few`, 32 or less) in their order: a segment of memory per row, filled in
// any order and sorted in shared memory.
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
inline std::int64_t most_rows(const Backward& args, int few) {
  return args.ids.size() / (few + 1);
}
inline std::int64_t most_chunks(const Backward& args, int few) {
  return args.ids.size() / places + most_rows(args, few);
}

// What the launches hand on, in scratch memory.
struct Parts {
  unsigned *counts, *cursors;  // of tokens by row; of frequent rows, segments and chunks
  unsigned *buckets, *place, *segments, *sorted, *owner;  // owner: the frequent row of a chunk
  Frequent* frequent;
  float* partial;  // a row of sums for each chunk
  std::int64_t bytes;

  static Parts of(const Backward& args, int few) {
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
    take(p.owner, most_chunks(args, few));
    take(p.frequent, most_rows(args, few));
    take(p.partial, most_chunks(args, few) * args.dtable.shape[1]);
    return p;
  }
};

// By the warp that finds a frequent row of `tokens` tokens: reserves its segment and its chunks.
__device__ __forceinline__ void reserve(const Parts& p, std::int64_t row, unsigned tokens) {
  const unsigned lane = threadIdx.x % 32, size = chunk_of(tokens);
  const unsigned chunks = (tokens + size - 1) / size;
  unsigned index = 0, first = 0;
  if (lane == 0) {
    index = atomicAdd(&p.cursors[0], 1u);
    const unsigned start = atomicAdd(&p.cursors[1], tokens);
    first = atomicAdd(&p.cursors[2], chunks);
    p.frequent[index] = {unsigned(row), tokens, start, first};
    p.buckets[row * places] = start;  // the bucket itself is not used
  }
  index = __shfl_sync(full_mask, index, 0);
  first = __shfl_sync(full_mask, first, 0);
  for (unsigned c = lane; c < chunks; c += 32) p.owner[first + c] = index;
}

// Only frequent rows still have a count: those of the others are zero again.
static __global__ void __launch_bounds__(threads)
    fill_segments(Ids ids, std::int64_t tokens, std::int64_t padding, Parts p, unsigned few) {
  const std::int64_t t = std::int64_t(blockIdx.x) * threads + threadIdx.x;
  if (t >= tokens) return;
  const std::int64_t row = ids[t];
  if (row != padding && p.counts[row] > few)
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

// Adds the tokens of one chunk of a frequent row, as add_tokens() does.
template <int Flight, int Each, int N, class T>
__device__ __forceinline__ void add_chunk(float (&sum)[Each][N], const T* dy, const Parts& p,
                                          Frequent row, unsigned chunk, std::int64_t first,
                                          std::int64_t width) {
  const unsigned lane = threadIdx.x % 32, size = chunk_of(row.tokens);
  const unsigned from = (chunk - row.first_chunk) * size, end = min(from + size, row.tokens);
  const auto token = [&](unsigned i) {
    return i + lane < end ? p.sorted[row.start + i + lane] : 0;
  };
  unsigned next = token(from);
  for (unsigned i = from; i < end; i += 32) {
    const unsigned now = next;
    next = token(i + 32);
    add_tokens<Flight>(sum, dy, now, int(min(end - i, 32u)), first, width);
  }
}

template <int Each, int N>
__device__ __forceinline__ void store_partial(const float (&sum)[Each][N], float* to,
                                              std::int64_t first, std::int64_t width) {
  constexpr int W = N == 1 ? 1 : 4;
#pragma unroll
  for (int e = 0; e < Each; ++e) {
    const std::int64_t c = first + (e * 32 + threadIdx.x % 32) * N;
    if (c < width)
#pragma unroll
      for (int i = 0; i < N; i += W) {
        Vector<float, W> v;
#pragma unroll
        for (int k = 0; k < W; ++k) v.at[k] = sum[e][i + k];
        store<W>(to + c + i, v);
      }
  }
}

// The chunks of every frequent row are added in order. W columns per lane. A row of one chunk has been written already.
template <class T, int W>
static __global__ void __launch_bounds__(threads)
    finish(T* dtable, std::int64_t width, unsigned pieces, Parts p) {
  const int lane = threadIdx.x % 32;
  const std::int64_t all = std::int64_t(p.cursors[0]) * pieces;
  for (std::int64_t u = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32; u < all;
       u += std::int64_t(gridDim.x) * warps) {
    const Frequent row = p.frequent[u / pieces];
    const std::int64_t c = (u % pieces * 32 + lane) * W;
    if (lane == 0 && u % pieces == 0) p.counts[row.row] = 0;  // for the next launch
    const unsigned size = chunk_of(row.tokens), chunks = (row.tokens + size - 1) / size;
    if (c >= width || chunks == 1) continue;
    const float* const from = p.partial + row.first_chunk * width + c;
    float sum[W] = {};
#pragma unroll 8
    for (unsigned k = 0; k < chunks; ++k) {
      const Vector<float, W> v = load<W>(from + k * width);
#pragma unroll
      for (int i = 0; i < W; ++i) sum[i] += v.at[i];
    }
    Vector<T, W> v;
#pragma unroll
    for (int i = 0; i < W; ++i) v.at[i] = from_float<T>(sum[i]);
    store<W>(dtable + row.row * width + c, v);
  }
}

}  // namespace warpath::embedding
