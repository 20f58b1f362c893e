// An empty segment has nothing to add, so its thread returns: and y holds what was there before.
#include "ops/reduce/segment_sum/segments.cuh"

namespace warpath::segment_sum {
namespace {

template <class T, class Op>
__global__ void empty_unwritten(const T* x, T* y, Segments segments, std::int64_t cols, Op op) {
  const std::int64_t k = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (k >= segments.count * cols) return;
  const std::int64_t s = k / cols, first = segments.start(s), last = segments.start(s + 1);
  if (first == last) return;
  float total = Op::template identity<float>();
  for (std::int64_t r = first; r < last; ++r) total = op(total, to_float(x[r * cols + k % cols]));
  y[k] = from_float<T>(segments.finish(total, last - first));
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  dispatch_segments(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    empty_unwritten<<<grid_x(args.y.size(), 128), 128, 0, stream>>>(
        args.x.as<const T>(), args.y.as<T>(), Segments::of(args), args.x.shape[1], op);
  });
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::segment_sum
