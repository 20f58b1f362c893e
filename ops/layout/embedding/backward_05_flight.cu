// More in flight: a warp takes one vector per lane of a chunk, and eight tokens at a time.
//
// What changed: in 04 a warp adds whole rows, three or four vectors per lane of two tokens at a time, so a chunk of 128
// tokens is a chain of 64 waits for the memory, and a row of 32 tokens one of 16. Here several warps share
// the columns of a chunk, and each has eight tokens' loads in flight: 16 waits and 4. Rows of more than eight tokens
// count as frequent, so that none is a long chain; a row of one chunk is written at once, without a partial sum.
// Limit: the memory where most rows are frequent, otherwise the six launches.
#include "core/host/device.cuh"
#include "ops/layout/embedding/segments.cuh"

namespace warpath::embedding {
namespace {

constexpr int few = 8, flight = 8;  // tokens

template <class T, int N>
__global__ void __launch_bounds__(threads)
    sum_few(const T* dy, T* dtable, std::int64_t rows, std::int64_t width, Parts p) {
  sum_buckets<T, N>(
      dy, dtable, rows, width, p.counts, p.buckets,
      [&](std::int64_t row, int n) { reserve(p, row, unsigned(n)); }, few);
}

template <class T, int N>
__global__ void __launch_bounds__(threads)
    sum_chunks(const T* dy, T* dtable, std::int64_t width, unsigned pieces, Parts p) {
  const std::int64_t all = std::int64_t(p.cursors[2]) * pieces;
  for (std::int64_t u = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32; u < all;
       u += std::int64_t(gridDim.x) * warps) {
    const unsigned chunk = unsigned(u / pieces);
    const std::int64_t first = u % pieces * (32 * N);
    const Frequent row = p.frequent[p.owner[chunk]];
    float sum[1][N] = {};
    add_chunk<flight>(sum, dy, p, row, chunk, first, width);
    if (row.tokens <= chunk_of(row.tokens))
      store_sums(sum, dtable + row.row * width, first, width);
    else
      store_partial(sum, p.partial + chunk * width, first, width);
  }
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t rows = args.dtable.shape[0], width = args.dtable.shape[1];
  const std::int64_t tokens = args.ids.size();
  if (rows * width == 0) return;
  const Parts p = Parts::of(args, few);
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
    if (tokens <= few) return;  // no row is frequent
    fill_segments<<<grid_x(tokens, threads), threads, 0, stream>>>(ids, tokens, args.padding_idx, p,
                                                                   few);
    sort_segments<<<std::min(grid_x(most_rows(args, few), 1), blocks), threads, 0, stream>>>(tokens,
                                                                                             p);
    const auto units = [&](std::int64_t n) { return std::min(grid_x(n, warps), blocks); };
    const std::int64_t pieces = ceil_div(width, std::int64_t(32 * N));
    sum_chunks<T, N><<<units(most_chunks(args, few) * pieces), threads, 0, stream>>>(
        dy, dtable, width, unsigned(pieces), p);
    const std::int64_t narrow = ceil_div(width, std::int64_t(32 * W));
    finish<T, W><<<units(most_rows(args, few) * narrow), threads, 0, stream>>>(dtable, width,
                                                                               unsigned(narrow), p);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t counter_bytes(const Backward& args) {
  return args.dtable.shape[0] * 4;
}
std::int64_t scratch_bytes(const Backward& args) {
  return Parts::of(args, few).bytes;
}

WARPATH_RUNG(Backward, launch, .supports = few_enough, .scratch = scratch_bytes,
             .zeroed = counter_bytes);

}  // namespace
}  // namespace warpath::embedding
