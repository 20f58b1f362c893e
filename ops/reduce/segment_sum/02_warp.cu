// One warp per segment.
//
// What changed: with one column the lanes share the segment's elements and join by shuffles; with several they share the
// columns, and each walks down the rows. Loads are contiguous either way. All lanes have the same segment, so they are done
// together.
// Limit: for short segments, one load per lane and five shuffles for a handful of elements; a giant one is the work of one
// warp.
#include "ops/reduce/segment_sum/segments.cuh"

namespace warpath::segment_sum {
namespace {

constexpr int warps = 8;

template <class T, class Op>
__global__ void __launch_bounds__(32 * warps)
    one_warp(const T* x, T* y, Segments segments, std::int64_t cols, Op op) {
  const std::int64_t s = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32;
  if (s >= segments.count) return;  // a whole warp
  const int lane = threadIdx.x % 32;
  const std::int64_t first = segments.start(s), last = segments.start(s + 1);
  if (cols == 1) {
    float total = Op::template identity<float>();
#pragma unroll 4
    for (std::int64_t r = first + lane; r < last; r += 32) total = op(total, to_float(x[r]));
    total = warp_reduce(total, op);
    if (lane == 0) y[s] = from_float<T>(segments.finish(total, last - first));
    return;
  }
  for (std::int64_t c = lane; c < cols; c += 32) {
    float total = Op::template identity<float>();
#pragma unroll 8
    for (std::int64_t r = first; r < last; ++r) total = op(total, to_float(x[r * cols + c]));
    y[s * cols + c] = from_float<T>(segments.finish(total, last - first));
  }
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  dispatch_segments(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    one_warp<<<grid_x(args.y.shape[0], warps), 32 * warps, 0, stream>>>(
        args.x.as<const T>(), args.y.as<T>(), Segments::of(args), args.x.shape[1], op);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::segment_sum
