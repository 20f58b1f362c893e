// Each warp normalises by what its own lanes saw: right for rows of up to 32 elements, and every
// row of 256 or more sums to eight.
#include "core/block/softmax_stat.cuh"
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "ops/softmax/softmax/softmax.h"

namespace warpath::softmax {
namespace {

template <class T>
__global__ void own_warp_only(const T* x, T* y, std::int64_t cols) {
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  Stat mine = nothing();
  for (std::int64_t c = threadIdx.x; c < cols; c += 256) mine = include(mine, to_float(x[c]));
  const Stat row = warp_join(mine);
  for (std::int64_t c = threadIdx.x; c < cols; c += 256)
    y[c] = from_float<T>(exp_from(to_float(x[c]), row.max) / row.sum);
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    own_warp_only<T><<<grid_x(rows, 1), 256, 0, stream>>>(args.x.as<T>(), args.y.as<T>(), cols);
  });
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::softmax
