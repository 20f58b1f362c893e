// Sixteen bytes per thread and access, by a loop that every element-wise op can use.
//
// What changed: the kernel is a template over the function (pointwise.cuh). It is compiled with the
// function inlined, so a call costs nothing, and the questions of width, alignment and tail are
// answered once. y may be x: a thread has read its elements before it overwrites them.
// Limit: the memory.
#include "core/host/dispatch.cuh"
#include "ops/elementwise/pointwise.cuh"
#include "ops/elementwise/relu/relu.h"

namespace warpath::relu {
namespace {

struct Relu {
  __device__ float operator()(float x) const { return x <= 0 ? 0 : x; }
};

void launch(const Forward& args, cudaStream_t stream) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    pointwise::launch(Relu{}, args.y.as<T>(), args.x.size(), stream, args.x.as<const T>());
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::relu
