// A fixed number of blocks walks over the array: the grid-stride loop.
//
// What changed: the grid has as many blocks as the GPU can hold at once, and each thread steps to
// the element one whole grid further. Any n works with any grid, blocks are started once, and what
// a thread sets up is reused.
// Limit: one element per iteration is still a small access, and the loop adds its own arithmetic.
#include "core/host/device.cuh"
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/vector_add/vector_add.h"

namespace warpath::vector_add {
namespace {

template <class T>
__global__ void grid_stride(const T* a, const T* b, T* c, std::int64_t n) {
  const std::int64_t stride = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride)
    c[i] = from_float<T>(to_float(a[i]) + to_float(b[i]));
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t n = args.c.size();
  if (n == 0) return;
  dispatch_float(args.c.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    const unsigned resident = multiprocessors() * (2048 / threads);
    const unsigned blocks = std::min(grid_x(n, threads), resident);
    grid_stride<T>
        <<<blocks, threads, 0, stream>>>(args.a.as<T>(), args.b.as<T>(), args.c.as<T>(), n);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::vector_add
