// One warp, one row: shuffles in place of barriers.
//
// What changed: 32 lanes add up among themselves in registers, eight rows per block.
// Limit: both inputs are read twice (mostly from cache when the row is short), and a long row
// has only 32 threads.
#include "core/block/reduce.cuh"
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/softmax/softmax/softmax.h"

namespace warpath::softmax {
namespace {

constexpr int warps = 8;  // and rows per block

template <class T>
__global__ void __launch_bounds__(32 * warps)
    warp_a_row(const T* y, const T* dy, T* dx, std::int64_t rows, std::int64_t cols) {
  const std::int64_t row = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32;
  if (row >= rows) return;
  const int lane = threadIdx.x % 32;
  const std::int64_t first = row * cols;
  float dot = 0;
  for (std::int64_t c = lane; c < cols; c += 32)
    dot += to_float(y[first + c]) * to_float(dy[first + c]);
  dot = warp_reduce(dot, Sum{});
  for (std::int64_t c = lane; c < cols; c += 32)
    dx[first + c] = from_float<T>(to_float(y[first + c]) * (to_float(dy[first + c]) - dot));
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t rows = args.y.shape[0], cols = args.y.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    warp_a_row<T><<<grid_x(rows, warps), 32 * warps, 0, stream>>>(args.y.as<T>(), args.dy.as<T>(),
                                                                  args.dx.as<T>(), rows, cols);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::softmax
