// The mean's gradient is divided by the rows of x, not by those of the segment.
#include "ops/reduce/segment_sum/backward.cuh"

namespace warpath::segment_sum {
namespace {

template <class T>
__global__ void mean_of_all(const T* dy, Ids ids, T* dx, std::int64_t size, std::int64_t cols) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const std::int64_t s = ids.of(i / cols);
  const float value = s >= 0 ? to_float(dy[s * cols + i % cols]) : 0.0f;
  dx[i] = from_float<T>(value / float(size / cols));
}

void launch(const ByIdBackward& args, cudaStream_t stream) {
  const std::int64_t size = args.dx.size();
  if (size == 0) return;
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    mean_of_all<<<grid_x(size, 256), 256, 0, stream>>>(args.dy.as<const T>(),
                                                       Ids::of(args.ids, args.dy.shape[0]),
                                                       args.dx.as<T>(), size, args.dx.shape[1]);
  });
}

std::string means(const ByIdBackward& args) {
  return args.kind == Kind::mean ? "" : "takes means";
}

WARPATH_RUNG(ByIdBackward, launch, .supports = means);

}  // namespace
}  // namespace warpath::segment_sum
