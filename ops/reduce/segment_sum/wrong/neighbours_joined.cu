// Four segments per warp, and shuffles over the whole warp: each gets the total of all four.
#include "ops/reduce/segment_sum/segments.cuh"

namespace warpath::segment_sum {
namespace {

template <class T, class Op>
__global__ void neighbours_joined(const T* x, T* y, Segments segments, Op op) {
  const std::int64_t s = (std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x) / 8;
  const int lane = threadIdx.x % 8;
  const std::int64_t first = s < segments.count ? segments.start(s) : 0;
  const std::int64_t last = s < segments.count ? segments.start(s + 1) : 0;
  float total = Op::template identity<float>();
  for (std::int64_t r = first + lane; r < last; r += 8) total = op(total, to_float(x[r]));
  total = warp_reduce(total, op);
  if (lane == 0 && s < segments.count) y[s] = from_float<T>(segments.finish(total, last - first));
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  dispatch_segments(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    neighbours_joined<<<grid_x(args.y.size(), 16), 128, 0, stream>>>(
        args.x.as<const T>(), args.y.as<T>(), Segments::of(args), op);
  });
}

WARPATH_RUNG(Args, launch, .supports = flat);

}  // namespace
}  // namespace warpath::segment_sum
