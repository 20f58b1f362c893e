// The mean of dy is subtracted where the mean weighted by y belongs: right when all y are equal.
#include "core/block/reduce.cuh"
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/softmax/softmax/softmax.h"

namespace warpath::softmax {
namespace {

template <class T>
__global__ void backward_mean_of_dy(const T* y, const T* dy, T* dx, std::int64_t cols) {
  const std::int64_t first = blockIdx.x * cols;
  __shared__ float slots[8];
  float sum = 0;
  for (std::int64_t c = threadIdx.x; c < cols; c += 256) sum += to_float(dy[first + c]);
  sum = block_reduce<256>(sum, Sum{}, slots) / float(cols);
  for (std::int64_t c = threadIdx.x; c < cols; c += 256)
    dx[first + c] = from_float<T>(to_float(y[first + c]) * (to_float(dy[first + c]) - sum));
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t rows = args.y.shape[0], cols = args.y.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    backward_mean_of_dy<T><<<grid_x(rows, 1), 256, 0, stream>>>(args.y.as<T>(), args.dy.as<T>(),
                                                                args.dx.as<T>(), cols);
  });
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::softmax
