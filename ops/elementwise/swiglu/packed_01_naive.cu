// One thread, one element of y: the gate and up lie one row's half apart.
//
// A block computes elements of one row, so that no thread divides: blockIdx.y is the row.
// Limit: two small loads in flight per thread; rows shorter than a block leave threads idle.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/swiglu/swiglu.h"

namespace warpath::swiglu {
namespace {

constexpr std::int64_t max_grid_y = 65535;

template <class T>
__global__ void naive(const T* x, T* y, std::int64_t rows, std::int64_t cols) {
  const std::int64_t c = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  for (std::int64_t r = blockIdx.y; r < rows; r += gridDim.y) {
    const float gate = to_float(x[r * 2 * cols + c]), up = to_float(x[r * 2 * cols + cols + c]);
    y[r * cols + c] = from_float<T>(gate / (1 + expf(-gate)) * up);
  }
}

void launch(const Packed& args, cudaStream_t stream) {
  const std::int64_t rows = args.y.shape[0], cols = args.y.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    const dim3 grid(grid_x(cols, threads), unsigned(std::min(rows, max_grid_y)));
    naive<T><<<grid, threads, 0, stream>>>(args.x.as<T>(), args.y.as<T>(), rows, cols);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Packed, launch);

}  // namespace
}  // namespace warpath::swiglu
