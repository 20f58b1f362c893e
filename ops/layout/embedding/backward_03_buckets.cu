// The ids are read once: each token leaves its number in the bucket of its row.
//
// What changed: a first launch counts the tokens of each row by integer atomics and writes down which they are, up to 32
// per row. Then one warp per row loads its bucket, one token per lane, sorts it by shuffles, and adds the rows of dy in
// that order: the order of the tokens, the same in every run. Loads are 16 bytes wide. A row with more than 32 tokens
// searches all ids, as in the rung before.
// Limit: the frequent rows: one warp each adds thousands of tokens while the others are done.
#include "ops/layout/embedding/buckets.cuh"

namespace warpath::embedding {
namespace {

constexpr int threads = 256, warps = threads / 32;

template <class T, int N>
__global__ void __launch_bounds__(threads)
    buckets_or_search(const T* dy, Ids ids, T* dtable, std::int64_t tokens, std::int64_t rows,
                      std::int64_t width, unsigned* counts, const unsigned* buckets) {
  constexpr int Each = vectors_each<N>;
  const unsigned lane = threadIdx.x % 32;
  sum_buckets<T, N>(dy, dtable, rows, width, counts, buckets, [&](std::int64_t row, int) {
    for (std::int64_t first = 0; first < width; first += 32 * Each * N) {
      float sum[Each][N] = {};
      for (std::int64_t t = 0; t < tokens; t += 32) {
        const bool mine = t + lane < tokens && ids[t + lane] == row;
        const unsigned found = __ballot_sync(full_mask, mine);
        // Lane k gets the k-th of them.
        const unsigned token = unsigned(t) + (__fns(found, 0, int(lane) + 1) & 31u);
        if (found) add_tokens(sum, dy, token, __popc(found), first, width);
      }
      store_sums(sum, dtable + row * width, first, width);
    }
    if (lane == 0) counts[row] = 0;
  });
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t rows = args.dtable.shape[0], width = args.dtable.shape[1];
  const std::int64_t tokens = args.ids.size();
  if (rows * width == 0) return;
  auto* const counts = static_cast<unsigned*>(args.scratch.data);
  unsigned* const buckets = counts + rows;
  const Ids ids = Ids::of(args.ids);
  if (tokens > 0)
    count_tokens<<<grid_x(tokens, 256), 256, 0, stream>>>(ids, tokens, args.padding_idx, counts,
                                                          buckets, nullptr, nullptr);
  dispatch_vectors(args, [&](auto tag, auto lanes) {
    using T = typename decltype(tag)::type;
    buckets_or_search<T, decltype(lanes)::value><<<grid_x(rows, warps), threads, 0, stream>>>(
        args.dy.as<T>(), ids, args.dtable.as<T>(), tokens, rows, width, counts, buckets);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t counter_bytes(const Backward& args) {
  return args.dtable.shape[0] * 4;
}
std::int64_t scratch_bytes(const Backward& args) {
  return args.dtable.shape[0] * 4 * (1 + places);
}

WARPATH_RUNG(Backward, launch, .supports = few_enough, .scratch = scratch_bytes,
             .zeroed = counter_bytes);

}  // namespace
}  // namespace warpath::embedding
