// CUB's DeviceTransform: the vendor's tuned element-wise loop.
#include <cub/device/device_transform.cuh>

#include "core/host/dispatch.cuh"
#include "core/thread/convert.cuh"
#include "ops/elementwise/relu/relu.h"

namespace warpath::relu {
namespace {

template <class T>
struct Relu {
  __device__ T operator()(T x) const { return to_float(x) <= 0 ? from_float<T>(0) : x; }
};

void launch(const Forward& args, cudaStream_t stream) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    CUDA_CHECK(cub::DeviceTransform::Transform(args.x.as<const T>(), args.y.as<T>(), args.x.size(),
                                               Relu<T>{}, stream));
  });
}

WARPATH_PEER(Forward, "CUB", launch);

}  // namespace
}  // namespace warpath::relu
