// Sixteen bytes per thread and access: three loads in flight, two stores.
//
// What changed: the loop of pointwise.cuh with a function of three numbers that has two results, and the short sigmoid of
// sigmoid.cuh.
// Limit: the memory.
#include "core/host/dispatch.cuh"
#include "ops/elementwise/pointwise.cuh"
#include "ops/elementwise/swiglu/gradient.cuh"

namespace warpath::swiglu {
namespace {

void launch(const Backward& args, cudaStream_t stream) {
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const pointwise::Outputs<T, 2> both{{args.dgate.as<T>(), args.dup.as<T>()}};
    pointwise::launch(Gradient{}, both, args.dy.size(), stream, args.gate.as<const T>(),
                      args.up.as<const T>(), args.dy.as<const T>());
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::swiglu
