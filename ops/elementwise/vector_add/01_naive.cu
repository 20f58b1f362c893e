// One thread, one element: the hello world of CUDA.
//
// The index is the thread's place in the whole grid; the `if` keeps the last block inside the
// arrays. Neighbouring threads touch neighbouring elements, so every access is coalesced from
// the start.
// Limit: each thread has at most two small loads in flight, and for 16-bit types a warp moves only
// 64 bytes per instruction.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/vector_add/vector_add.h"

namespace warpath::vector_add {
namespace {

template <class T>
__global__ void naive(const T* a, const T* b, T* c, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) c[i] = from_float<T>(to_float(a[i]) + to_float(b[i]));
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t n = args.c.size();
  if (n == 0) return;
  dispatch_float(args.c.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    naive<T><<<grid_x(n, threads), threads, 0, stream>>>(args.a.as<T>(), args.b.as<T>(),
                                                         args.c.as<T>(), n);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::vector_add
