// Frequent rows are cut into chunks of tokens, which all SMs add up.
//
// What changed: the rows of more than 32 tokens are no longer searched for. The warp that finds one reserves a segment for
// its tokens and as many chunks as it needs: where these lie depends on the order of the atomics, what is added does not.
// The tokens are put into the segments and sorted there: a bit per token in shared memory, set in any order and read from
// the first to the last. Then one warp per chunk adds its tokens, and one warp per 128 columns of a row adds the chunks
// in order. A chunk has 32 tokens, or more in rows of over 1024, so that neither step adds more than about sqrt(n) terms.
// Limit: two tokens in flight per warp, so a long chunk is a chain of waits; and six launches, of which four are short when there
// is no frequent row.
#include "core/host/device.cuh"
#include "ops/layout/embedding/segments.cuh"

namespace warpath::embedding {
namespace {

template <class T, int N>
__global__ void __launch_bounds__(threads)
    sum_few(const T* dy, T* dtable, std::int64_t rows, std::int64_t width, Parts p) {
  sum_buckets<T, N>(dy, dtable, rows, width, p.counts, p.buckets,
                    [&](std::int64_t row, int n) { reserve(p, row, unsigned(n)); });
}

template <class T, int N>
__global__ void __launch_bounds__(threads)
    sum_chunks(const T* dy, std::int64_t width, unsigned pieces, Parts p) {
  constexpr int Each = vectors_each<N>;
  const std::int64_t all = std::int64_t(p.cursors[2]) * pieces;
  for (std::int64_t u = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32; u < all;
       u += std::int64_t(gridDim.x) * warps) {
    const unsigned chunk = unsigned(u / pieces);
    const std::int64_t first = u % pieces * (32 * Each * N);
    float sum[Each][N] = {};
    add_chunk<2>(sum, dy, p, p.frequent[p.owner[chunk]], chunk, first, width);
    store_partial(sum, p.partial + chunk * width, first, width);
  }
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t rows = args.dtable.shape[0], width = args.dtable.shape[1];
  const std::int64_t tokens = args.ids.size();
  if (rows * width == 0) return;
  const Parts p = Parts::of(args, places);
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
    fill_segments<<<grid_x(tokens, threads), threads, 0, stream>>>(ids, tokens, args.padding_idx, p,
                                                                   places);
    sort_segments<<<std::min(grid_x(most_rows(args, places), 1), blocks), threads, 0, stream>>>(
        tokens, p);
    const auto units = [&](std::int64_t n) { return std::min(grid_x(n, warps), blocks); };
    const std::int64_t wide = ceil_div(width, std::int64_t(32 * vectors_each<N> * N));
    sum_chunks<T, N><<<units(most_chunks(args, places) * wide), threads, 0, stream>>>(
        dy, width, unsigned(wide), p);
    const std::int64_t narrow = ceil_div(width, std::int64_t(32 * W));
    finish<T, W><<<units(most_rows(args, places) * narrow), threads, 0, stream>>>(
        dtable, width, unsigned(narrow), p);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t counter_bytes(const Backward& args) {
  return args.dtable.shape[0] * 4;
}
std::int64_t scratch_bytes(const Backward& args) {
  return Parts::of(args, places).bytes;
}

WARPATH_RUNG(Backward, launch, .supports = few_enough, .scratch = scratch_bytes,
             .zeroed = counter_bytes);

}  // namespace
}  // namespace warpath::embedding
