// The search ends at the last segment, for rows behind all of them too: they get its gradient instead of zero.
#include "ops/reduce/segment_sum/backward.cuh"

namespace warpath::segment_sum {
namespace {

template <class T>
__global__ void last_segment(const T* dy, Offsets offsets, T* dx, std::int64_t size,
                             std::int64_t cols, Kind kind) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  std::int64_t below = 0, above = offsets.segments;
  while (above - below > 1) {
    const std::int64_t middle = (below + above) / 2;
    if (offsets.start(middle) <= i / cols)
      below = middle;
    else
      above = middle;
  }
  float value = 0;
  if (offsets.segments > 0) value = to_float(dy[below * cols + i % cols]);
  if (kind == Kind::mean && offsets.segments > 0) value /= float(offsets.length(below));
  dx[i] = from_float<T>(value);
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t size = args.dx.size();
  if (size == 0) return;
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    last_segment<<<grid_x(size, 256), 256, 0, stream>>>(args.dy.as<const T>(), Offsets::of(args),
                                                        args.dx.as<T>(), size, args.dx.shape[1],
                                                        args.kind);
  });
}

std::string no_max(const Backward& args) {
  return args.kind == Kind::max ? "takes sums and means" : "";
}

WARPATH_RUNG(Backward, launch, .supports = no_max);

}  // namespace
}  // namespace warpath::segment_sum
