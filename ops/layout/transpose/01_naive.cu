// One thread, one element: read along rows, write along columns.
//
// The reads of a warp are neighbours; its writes lie a whole row of y apart, so one store
// instruction of 32 threads touches 32 different 32-byte sectors and uses 4 bytes of each.
// Limit: the scattered writes. Most of the memory traffic is sectors that are only partly
// filled.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "ops/layout/transpose/transpose.h"

namespace warpath::transpose {
namespace {

template <class T>
__global__ void naive(const T* x, T* y, std::int64_t rows, std::int64_t cols) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= rows * cols) return;
  const std::int64_t r = i / cols, c = i % cols;
  y[c * rows + r] = x[i];
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    naive<T><<<grid_x(rows * cols, threads), threads, 0, stream>>>(args.x.as<T>(), args.y.as<T>(),
                                                                   rows, cols);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::transpose
