// Frequent rows are cut into chunks of tokens, which all SMs add up.
//
// What changed: the rows of more than 32 tokens are no longer searched for. The warp that finds one reserves a segment for
// its tokens and as many chunks as it needs: where these lie depends on the order of the atomics, what is added does not.
// The tokens are put into the segments and sorted there: a bit per token in shared memory, set in any order and read from
// the first to the last. Then one warp per chunk adds its tokens, and one warp per 128 columns of a row adds the chunks
// in order. A chunk has 32 tokens, or more in rows of over 1024, so that neither step adds more than about sqrt(n) terms.
// Limit: the memory, behind six launches, of which four are short when there is no frequent row.
#include "core/host/device.cuh"
#include "ops/layout/embedding/segments.cuh"

namespace warpath::embedding {
namespace {

template <class T, int N>
__global__ void __launch_bounds__(threads)
    sum_few(const T* dy, T* dtable, std::int64_t rows, std::int64_t width, Parts p) {
  const unsigned lane = threadIdx.x % 32;
  sum_buckets<T, N>(dy, dtable, rows, width, p.counts, p.buckets, [&](std::int64_t row, int n) {
    const unsigned tokens = unsigned(n), size = chunk_of(tokens);
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
  });
}

template <class T, int N>
__global__ void __launch_bounds__(threads)
    sum_chunks(const T* dy, std::int64_t width, unsigned pieces, Parts p) {
  constexpr int Each = vectors_each<N>, W = N == 1 ? 1 : 4;
  const int lane = threadIdx.x % 32;
  const std::int64_t all = std::int64_t(p.cursors[2]) * pieces;
  for (std::int64_t u = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32; u < all;
       u += std::int64_t(gridDim.x) * warps) {
    const unsigned chunk = unsigned(u / pieces);
    const std::int64_t first = u % pieces * (32 * Each * N);
    const Frequent row = p.frequent[p.owner[chunk]];
    const unsigned size = chunk_of(row.tokens), from = (chunk - row.first_chunk) * size;
    const unsigned end = min(from + size, row.tokens);
    float sum[Each][N] = {};
    for (unsigned i = from; i < end; i += 32) {
      const int n = int(min(end - i, 32u));
      const unsigned token = lane < n ? p.sorted[row.start + i + lane] : 0;
      add_tokens(sum, dy, token, n, first, width);
    }
    float* const to = p.partial + chunk * width;
#pragma unroll
    for (int e = 0; e < Each; ++e) {
      const std::int64_t c = first + (e * 32 + lane) * N;
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
}

// W columns per lane.
template <class T, int W>
__global__ void __launch_bounds__(threads)
    finish(T* dtable, std::int64_t width, unsigned pieces, Parts p) {
  const int lane = threadIdx.x % 32;
  const std::int64_t all = std::int64_t(p.cursors[0]) * pieces;
  for (std::int64_t u = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32; u < all;
       u += std::int64_t(gridDim.x) * warps) {
    const Frequent row = p.frequent[u / pieces];
    const std::int64_t c = (u % pieces * 32 + lane) * W;
    if (lane == 0 && u % pieces == 0) p.counts[row.row] = 0;  // for the next launch
    if (c >= width) continue;
    const unsigned size = chunk_of(row.tokens), chunks = (row.tokens + size - 1) / size;
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

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t rows = args.dtable.shape[0], width = args.dtable.shape[1];
  const std::int64_t tokens = args.ids.size();
  if (rows * width == 0) return;
  const Parts p = Parts::of(args);
  const Ids ids = Ids::of(args.ids);
  const unsigned blocks = 8 * multiprocessors();
  if (tokens > 0)
    count_tokens<<<grid_x(tokens, 256), 256, 0, stream>>>(ids, tokens, args.padding_idx, p.counts,
                                                          p.buckets, p.place, p.cursors);
  dispatch_vectors(args, [&](auto tag, auto lanes) {
    using T = typename decltype(tag)::type;
    constexpr int N = decltype(lanes)::value, W = N == 1 ? 1 : 4;
    const T* const dy = args.dy.as<T>();
    T* const dtable = args.dtable.as<T>();
    sum_few<T, N><<<grid_x(rows, warps), threads, 0, stream>>>(dy, dtable, rows, width, p);
    if (tokens <= places) return;  // no row is frequent
    fill_segments<<<grid_x(tokens, threads), threads, 0, stream>>>(ids, tokens, args.padding_idx,
                                                                   p);
    sort_segments<<<std::min(grid_x(most_rows(args), 1), blocks), threads, 0, stream>>>(tokens, p);
    const auto units = [&](std::int64_t n) { return std::min(grid_x(n, warps), blocks); };
    const std::int64_t wide = ceil_div(width, std::int64_t(32 * vectors_each<N> * N));
    sum_chunks<T, N>
        <<<units(most_chunks(args) * wide), threads, 0, stream>>>(dy, width, unsigned(wide), p);
    const std::int64_t narrow = ceil_div(width, std::int64_t(32 * W));
    finish<T, W><<<units(most_rows(args) * narrow), threads, 0, stream>>>(dtable, width,
                                                                          unsigned(narrow), p);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t counter_bytes(const Backward& args) {
  return args.dtable.shape[0] * 4;
}
std::int64_t scratch_bytes(const Backward& args) {
  return Parts::of(args).bytes;
}

WARPATH_RUNG(Backward, launch, .supports = few_enough, .scratch = scratch_bytes,
             .zeroed = counter_bytes);

}  // namespace
}  // namespace warpath::embedding
