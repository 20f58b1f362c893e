// Fewer instructions than the memory leaves time for: one power of two instead of erf, a sigmoid instead of tanh.
//
// What changed: the share of the normal distribution beyond |x| is exp(-x^2 / 2) times a smooth factor, which a
// polynomial in 1 / (1 + p |x|) approximates (normal.cuh). Unlike 1 + erf(x) it loses no digits for negative x. And
// (1 + tanh(u)) / 2 is the sigmoid of 2 u. A bf16 element takes 21 instructions by erf and 15 by tanh, all counted,
// where the memory leaves time for 28; two of them are of the special function unit, which has time for three to four.
// The single instruction tanh.approx is right to 11 bits only: too few for f16.
// Limit: the memory, in all types.
#include "core/host/dispatch.cuh"
#include "ops/elementwise/gelu/short.cuh"
#include "ops/elementwise/pointwise.cuh"

namespace warpath::gelu {
namespace {

void launch(const Forward& args, cudaStream_t stream) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t n = args.x.size();
    if (args.approximate == Approximate::tanh)
      pointwise::launch(ShortTanh{}, args.y.as<T>(), n, stream, args.x.as<const T>());
    else
      pointwise::launch(ShortErf<T>{}, args.y.as<T>(), n, stream, args.x.as<const T>());
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::gelu
