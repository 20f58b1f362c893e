// One warp, one row of the table: it reads all ids in order and adds the tokens that are its own.
//
// What changed: a row has one owner, which adds its tokens from the first to the last. No atomics, no scratch, and the
// same bits from run to run. The lanes look at 32 ids at a time; a vote tells which of them are the row's. The row's sums
// are in registers, 128 columns at a time: wider rows search again.
// Limit: vocabulary x tokens comparisons. Every warp reads all ids, from the L2 cache.
#include "core/warp/reduce.cuh"
#include "ops/layout/embedding/ids.cuh"

namespace warpath::embedding {
namespace {

constexpr int threads = 256, warps = threads / 32, each = 4;

template <class T>
__global__ void __launch_bounds__(threads)
    search(const T* dy, Ids ids, T* dtable, std::int64_t tokens, std::int64_t rows,
           std::int64_t width, std::int64_t padding) {
  const std::int64_t row = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;
  for (std::int64_t first = 0; first < width; first += 32 * each) {
    float sum[each] = {};
    for (std::int64_t t = 0; t < tokens && row != padding; t += 32) {
      const bool mine = t + lane < tokens && ids[t + lane] == row;
      for (unsigned found = __ballot_sync(full_mask, mine); found; found &= found - 1) {
        const T* const from = dy + (t + __ffs(int(found)) - 1) * width;
#pragma unroll
        for (int k = 0; k < each; ++k) {
          const std::int64_t c = first + k * 32 + lane;
          if (c < width) sum[k] += to_float(from[c]);
        }
      }
    }
#pragma unroll
    for (int k = 0; k < each; ++k) {
      const std::int64_t c = first + k * 32 + lane;
      if (c < width) dtable[row * width + c] = from_float<T>(sum[k]);
    }
  }
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t rows = args.dtable.shape[0], width = args.dtable.shape[1];
  if (rows * width == 0) return;
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    search<T><<<grid_x(rows, warps), threads, 0, stream>>>(args.dy.as<T>(), Ids::of(args.ids),
                                                           args.dtable.as<T>(), args.ids.size(),
                                                           rows, width, args.padding_idx);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::embedding
