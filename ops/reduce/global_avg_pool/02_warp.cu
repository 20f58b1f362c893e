// One warp per channel of an image.
//
// What changed: the lanes read neighbouring pixels and add up by shuffles. 49 pixels are two loads per lane.
// Limit: in NCHW, bytes in flight: a lane has one or two loads of 2 or 4 bytes, and of the second turn of 49 pixels 15
// lanes have nothing. In NHWC the pixels of a channel are far apart: here 01 is the better one.
#include "ops/reduce/global_avg_pool/image.cuh"

namespace warpath::global_avg_pool {
namespace {

constexpr int warps = 8;

template <class T>
__global__ void __launch_bounds__(32 * warps) one_warp(Images<T> in, T* y) {
  const std::int64_t r = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32;
  if (r >= in.rows()) return;  // a whole warp
  const T* const row = in.row(r);
  float sum = 0.0f;
  for (std::int64_t i = threadIdx.x % 32; i < in.pixels; i += 32)
    sum += to_float(row[i * in.pixel_stride]);
  sum = warp_reduce(sum, Sum{});
  if (threadIdx.x % 32 == 0) y[r] = from_float<T>(sum / float(in.pixels));
}

void launch(const Forward& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    one_warp<T><<<grid_x(args.y.size(), warps), 32 * warps, 0, stream>>>(Images<T>::of(args),
                                                                         args.y.as<T>());
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::global_avg_pool
