// The pixels of a channel are taken to be neighbours: right in NCHW. In NHWC it averages pieces of other channels.
#include "ops/reduce/global_avg_pool/image.cuh"

namespace warpath::global_avg_pool {
namespace {

template <class T>
__global__ void strides_ignored(const T* x, T* y, std::int64_t pixels) {
  float sum = 0.0f;
  for (std::int64_t i = threadIdx.x; i < pixels; i += 32)
    sum += to_float(x[blockIdx.x * pixels + i]);
  sum = warp_reduce(sum, Sum{});
  if (threadIdx.x == 0) y[blockIdx.x] = from_float<T>(sum / float(pixels));
}

void launch(const Forward& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    strides_ignored<T><<<grid_x(args.y.size(), 1), 32, 0, stream>>>(args.x.as<T>(), args.y.as<T>(),
                                                                    args.x.shape[2]);
  });
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::global_avg_pool
