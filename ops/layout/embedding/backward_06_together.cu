// The chunks of frequent rows and the other rows are added in one launch.
//
// What changed: in 05 the rows of few tokens come first, because their warps reserve the segments of the frequent ones. Here a short launch
// reserves the segments, a thread per row, 32 rows by one set of atomics. So one launch adds both: its first blocks add chunks, the
// others rows, and waits of the ones overlap with loads of the others.
// Limit: the memory, and the four short launches before.
#include "core/host/device.cuh"
#include "core/warp/scan.cuh"
#include "ops/layout/embedding/segments.cuh"

namespace warpath::embedding {
namespace {

constexpr int few = 8, flight = 8;  // tokens

// One thread per row; a warp reserves for its 32 rows at once. `few` or fewer tokens: nothing.
__global__ void __launch_bounds__(threads) reserve_all(std::int64_t rows, Parts p) {
  const std::int64_t row = std::int64_t(blockIdx.x) * threads + threadIdx.x;
  const int lane = threadIdx.x % 32;
  const unsigned n = row < rows ? p.counts[row] : 0;
  const bool frequent = n > few;
  const unsigned tokens = frequent ? n : 0, size = chunk_of(tokens);
  const unsigned chunks = (tokens + size - 1) / size;
  const unsigned rows_to = warp_scan(unsigned(frequent), Sum{});  // up to this lane
  const unsigned tokens_to = warp_scan(tokens, Sum{}), chunks_to = warp_scan(chunks, Sum{});
  unsigned index = 0, start = 0, first = 0;
  if (lane == 31 && rows_to > 0) {
    index = atomicAdd(&p.cursors[0], rows_to);
    start = atomicAdd(&p.cursors[1], tokens_to);
    first = atomicAdd(&p.cursors[2], chunks_to);
  }
  index = __shfl_sync(full_mask, index, 31) + rows_to - 1;
  start = __shfl_sync(full_mask, start, 31) + tokens_to - tokens;
  first = __shfl_sync(full_mask, first, 31) + chunks_to - chunks;
  if (!frequent) return;
  p.frequent[index] = {unsigned(row), tokens, start, first};
  p.buckets[row * places] = start;  // the bucket itself is not used
  for (unsigned c = 0; c < chunks; ++c) p.owner[first + c] = index;
}

// The first `chunk_blocks` blocks add chunks, the others rows of few tokens.
template <class T, int N>
__global__ void __launch_bounds__(threads, 3)
    sum_all(const T* dy, T* dtable, std::int64_t rows, std::int64_t width, unsigned pieces,
            unsigned chunk_blocks, Parts p) {
  if (blockIdx.x >= chunk_blocks) {
    const std::int64_t row = std::int64_t(blockIdx.x - chunk_blocks) * warps + threadIdx.x / 32;
    if (row < rows)
      sum_bucket<T, N>(
          dy, dtable, row, width, p.counts, p.buckets, [](int) {}, few);
    return;
  }
  const std::int64_t all = std::int64_t(p.cursors[2]) * pieces;
  for (std::int64_t u = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32; u < all;
       u += std::int64_t(chunk_blocks) * warps) {
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
  const bool frequent = tokens > few;  // there may be a frequent row
  if (tokens > 0)
    count_tokens<<<grid_x(tokens, 256), 256, 0, stream>>>(ids, tokens, args.padding_idx, p.counts,
                                                          p.buckets, p.place, p.cursors);
  if (frequent) {
    reserve_all<<<grid_x(rows, threads), threads, 0, stream>>>(rows, p);
    fill_segments<<<grid_x(tokens, threads), threads, 0, stream>>>(ids, tokens, args.padding_idx, p,
                                                                   few);
    sort_segments<<<std::min(grid_x(most_rows(args, few), 1), blocks), threads, 0, stream>>>(tokens,
                                                                                             p);
  }
  dispatch_vectors(args, [&](auto tag, auto lanes) {
    using T = typename decltype(tag)::type;
    constexpr int N = decltype(lanes)::value, W = N == 1 ? 1 : 4;
    T* const dtable = args.dtable.as<T>();
    const auto units = [&](std::int64_t n) { return std::min(grid_x(n, warps), blocks); };
    const std::int64_t pieces = ceil_div(width, std::int64_t(32 * N));
    const unsigned chunk_blocks = frequent ? units(most_chunks(args, few) * pieces) : 0;
    sum_all<T, N><<<chunk_blocks + grid_x(rows, warps), threads, 0, stream>>>(
        args.dy.as<T>(), dtable, rows, width, unsigned(pieces), chunk_blocks, p);
    if (!frequent) return;
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
std::string preferred(const Backward& args) {
  const bool timed = size_of(args.dy.dtype) == 2 && args.dtable.shape[0] >= 1 << 15 &&
                     args.dtable.shape[1] <= 1024;
  return timed ? "" : "no GPU has timed it with f32, wider rows or smaller tables than GPT-2's: 05";
}

WARPATH_RUNG(Backward, launch, .supports = few_enough, .preferred = preferred,
             .scratch = scratch_bytes, .zeroed = counter_bytes);

}  // namespace
}  // namespace warpath::embedding
