// Sixteen bytes per thread and access, from two inputs.
//
// What changed: the loop of pointwise.cuh with a function of two numbers. Both loads of a thread are in
// flight together.
// Limit: the memory.
#include "core/host/dispatch.cuh"
#include "ops/elementwise/pointwise.cuh"
#include "ops/elementwise/relu/relu.h"

namespace warpath::relu {
namespace {

struct Gradient {
  __device__ float operator()(float x, float dy) const { return x <= 0 ? 0 : dy; }
};

void launch(const Backward& args, cudaStream_t stream) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    pointwise::launch(Gradient{}, args.dx.as<T>(), args.x.size(), stream, args.x.as<const T>(),
                      args.dy.as<const T>());
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::relu
