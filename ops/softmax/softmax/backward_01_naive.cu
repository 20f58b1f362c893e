// One thread, one row: two loops as on paper.
//
// The sum of y * dy, then the difference.
// Limit: neighbouring threads read elements a whole row apart, both inputs are read twice, and a
// few long rows keep a few threads busy.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/softmax/softmax/softmax.h"

namespace warpath::softmax {
namespace {

template <class T>
__global__ void naive(const T* y, const T* dy, T* dx, std::int64_t rows, std::int64_t cols) {
  const std::int64_t row = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const std::int64_t first = row * cols;
  float dot = 0;
  for (std::int64_t c = first; c < first + cols; ++c) dot += to_float(y[c]) * to_float(dy[c]);
  for (std::int64_t c = first; c < first + cols; ++c)
    dx[c] = from_float<T>(to_float(y[c]) * (to_float(dy[c]) - dot));
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t rows = args.y.shape[0], cols = args.y.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 64;
    naive<T><<<grid_x(rows, threads), threads, 0, stream>>>(args.y.as<T>(), args.dy.as<T>(),
                                                            args.dx.as<T>(), rows, cols);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::softmax
