// An index kept in 16 bits "to save registers": right up to 65536 elements, then the first ones
// again.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/vector_add/vector_add.h"

namespace warpath::vector_add {
namespace {

template <class T>
__global__ void short_index(const T* a, const T* b, T* c, std::int64_t n) {
  const unsigned short i = static_cast<unsigned short>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) c[i] = from_float<T>(to_float(a[i]) + to_float(b[i]));
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t n = args.c.size();
  if (n == 0) return;
  dispatch_float(args.c.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    short_index<T>
        <<<grid_x(n, 256), 256, 0, stream>>>(args.a.as<T>(), args.b.as<T>(), args.c.as<T>(), n);
  });
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::vector_add
