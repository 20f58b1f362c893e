// A block takes several segments one after the other and has no barrier between two: a fast warp writes its sums of the next
// segment while thread 0 still adds up those of the last one.
#include "ops/reduce/segment_sum/segments.cuh"

namespace warpath::segment_sum {
namespace {

template <class T, class Op>
__global__ void shared_total(const T* x, T* y, Segments segments, Op op) {
  __shared__ float tree[128];
  for (std::int64_t s = blockIdx.x; s < segments.count; s += gridDim.x) {
    const std::int64_t first = segments.start(s), last = segments.start(s + 1);
    float total = Op::template identity<float>();
    for (std::int64_t r = first + threadIdx.x; r < last; r += 128)
      total = op(total, to_float(x[r]));
    tree[threadIdx.x] = total;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int t = 1; t < 128; ++t) total = op(total, tree[t]);
      y[s] = from_float<T>(segments.finish(total, last - first));
    }
  }
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  dispatch_segments(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    shared_total<<<4, 128, 0, stream>>>(args.x.as<const T>(), args.y.as<T>(), Segments::of(args),
                                        op);
  });
}

WARPATH_RUNG(Args, launch, .supports = flat, .race = true);

}  // namespace
}  // namespace warpath::segment_sum
