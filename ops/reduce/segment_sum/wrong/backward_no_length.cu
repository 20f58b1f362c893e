// The mean's gradient is that of the sum: not divided by the length of the segment.
#include "ops/reduce/segment_sum/backward.cuh"

namespace warpath::segment_sum {
namespace {

template <class T>
__global__ void no_length(const T* dy, Offsets offsets, T* dx, std::int64_t size,
                          std::int64_t cols) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const std::int64_t s = offsets.of(i / cols);
  dx[i] = s >= 0 ? dy[s * cols + i % cols] : from_float<T>(0.0f);
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t size = args.dx.size();
  if (size == 0) return;
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    no_length<<<grid_x(size, 256), 256, 0, stream>>>(args.dy.as<const T>(), Offsets::of(args),
                                                     args.dx.as<T>(), size, args.dx.shape[1]);
  });
}

std::string means(const Backward& args) {
  return args.kind == Kind::mean ? "" : "takes means";
}

WARPATH_RUNG(Backward, launch, .supports = means);

}  // namespace
}  // namespace warpath::segment_sum
