// One thread per segment and column.
//
// A segment is [offsets[s], offsets[s + 1]). An empty one has a result too, and it must be written.
// Limit: a warp is done when its longest segment is: lanes with short ones wait. Their loads are a segment apart.
#include "ops/reduce/segment_sum/segments.cuh"

namespace warpath::segment_sum {
namespace {

template <class T, class Op>
__global__ void one_thread(const T* x, T* y, Segments segments, std::int64_t cols, Op op) {
  const std::int64_t k = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (k >= segments.count * cols) return;
  const std::int64_t s = k / cols, c = k % cols;
  const std::int64_t first = segments.start(s), last = segments.start(s + 1);
  float total = Op::template identity<float>();
  for (std::int64_t r = first; r < last; ++r) total = op(total, to_float(x[r * cols + c]));
  y[k] = from_float<T>(segments.finish(total, last - first));
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  dispatch_segments(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    one_thread<<<grid_x(args.y.size(), 128), 128, 0, stream>>>(
        args.x.as<const T>(), args.y.as<T>(), Segments::of(args), args.x.shape[1], op);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::segment_sum
