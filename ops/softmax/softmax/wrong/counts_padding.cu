// Threads beyond the end of the row take part with a zero, and exp(0 - max) is not zero.
#include "core/block/softmax_stat.cuh"
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "ops/softmax/softmax/softmax.h"

namespace warpath::softmax {
namespace {

template <class T>
__global__ void counts_padding(const T* x, T* y, std::int64_t cols) {
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  __shared__ Stat slots[8];
  Stat mine = nothing();
  for (std::int64_t c = threadIdx.x; c < ceil_div(cols, 256) * 256; c += 256)
    mine = include(mine, c < cols ? to_float(x[c]) : 0.0f);
  const Stat row = block_join<256>(mine, slots);
  for (std::int64_t c = threadIdx.x; c < cols; c += 256)
    y[c] = from_float<T>(exp_from(to_float(x[c]), row.max) / row.sum);
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    counts_padding<T><<<grid_x(rows, 1), 256, 0, stream>>>(args.x.as<T>(), args.y.as<T>(), cols);
  });
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::softmax
