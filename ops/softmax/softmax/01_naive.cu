// One thread, one row: three loops as on paper.
//
// The maximum, the sum of exponentials, the division. Subtracting the maximum keeps exp from
// overflowing.
// Limit: everything. Neighbouring threads read elements a whole row apart (no coalescing), x is
// read three times, exp is computed twice, and a few long rows keep a few threads busy.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/softmax/softmax/softmax.h"

namespace warpath::softmax {
namespace {

template <class T>
__global__ void naive(const T* x, T* y, std::int64_t rows, std::int64_t cols) {
  const std::int64_t row = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  x += row * cols;
  y += row * cols;
  float largest = -INFINITY;
  for (std::int64_t c = 0; c < cols; ++c) largest = fmaxf(largest, to_float(x[c]));
  float sum = 0;
  for (std::int64_t c = 0; c < cols; ++c) sum += expf(to_float(x[c]) - largest);
  for (std::int64_t c = 0; c < cols; ++c)
    y[c] = from_float<T>(expf(to_float(x[c]) - largest) / sum);
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 64;
    naive<T>
        <<<grid_x(rows, threads), threads, 0, stream>>>(args.x.as<T>(), args.y.as<T>(), rows, cols);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::softmax
