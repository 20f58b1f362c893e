// One thread, one element of dy, two of dx: as backward 01, with both halves in one tensor.
//
// With two tensors for the gradients, as the unpacked op has, PyTorch would have to copy them into one.
// Limit: three small loads in flight per thread; rows shorter than a block leave threads idle.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/swiglu/swiglu.h"

namespace warpath::swiglu {
namespace {

constexpr std::int64_t max_grid_y = 65535;

template <class T>
__global__ void naive(const T* x, const T* dy, T* dx, std::int64_t rows, std::int64_t cols) {
  const std::int64_t c = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  for (std::int64_t r = blockIdx.y; r < rows; r += gridDim.y) {
    const std::int64_t gate = r * 2 * cols + c, up = gate + cols;
    const float g = to_float(x[gate]), d = to_float(dy[r * cols + c]), s = 1 / (1 + expf(-g));
    dx[gate] = from_float<T>(d * to_float(x[up]) * (s * (1 + g * (1 - s))));
    dx[up] = from_float<T>(d * (g * s));
  }
}

void launch(const PackedBackward& args, cudaStream_t stream) {
  const std::int64_t rows = args.dy.shape[0], cols = args.dy.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    const dim3 grid(grid_x(cols, threads), unsigned(std::min(rows, max_grid_y)));
    naive<T><<<grid, threads, 0, stream>>>(args.x.as<T>(), args.dy.as<T>(), args.dx.as<T>(), rows,
                                           cols);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(PackedBackward, launch);

}  // namespace
}  // namespace warpath::swiglu
