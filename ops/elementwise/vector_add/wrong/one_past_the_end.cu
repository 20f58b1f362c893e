// `<=` where `<` belongs: the results are right, and the element past the end of the array is
// overwritten.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/vector_add/vector_add.h"

namespace warpath::vector_add {
namespace {

template <class T>
__global__ void one_past_the_end(const T* a, const T* b, T* c, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i <= n) c[i] = from_float<T>(to_float(a[i]) + to_float(b[i]));
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t n = args.c.size();
  if (n == 0) return;
  dispatch_float(args.c.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    one_past_the_end<T>
        <<<grid_x(n, 256), 256, 0, stream>>>(args.a.as<T>(), args.b.as<T>(), args.c.as<T>(), n);
  });
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::vector_add
