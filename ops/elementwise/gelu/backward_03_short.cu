// The power that gives the tail of the normal distribution is its density too.
//
// What changed: exp(-x^2 / 2) is computed once and used twice, for P(x) and for P'(x); by tanh, the derivative of a
// sigmoid s is s * (1 - s). No erff, no expf, no tanhf (short.cuh): 29 instructions per bf16 element by erf, 23 by tanh.
// Limit: the memory, in all types.
#include "core/host/dispatch.cuh"
#include "ops/elementwise/gelu/short.cuh"
#include "ops/elementwise/pointwise.cuh"

namespace warpath::gelu {
namespace {

void launch(const Backward& args, cudaStream_t stream) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t n = args.x.size();
    const T *x = args.x.as<const T>(), *dy = args.dy.as<const T>();
    if (args.approximate == Approximate::tanh)
      pointwise::launch(ShortTanh{}, args.dx.as<T>(), n, stream, x, dy);
    else
      pointwise::launch(ShortErf<T>{}, args.dx.as<T>(), n, stream, x, dy);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::gelu
