// Every row that has the maximum gets the whole gradient: ties count several times.
#include "ops/reduce/segment_sum/backward.cuh"

namespace warpath::segment_sum {
namespace {

template <class T>
__global__ void each_has_all(const T* dy, const T* x, const T* y, Ids ids, T* dx, std::int64_t size,
                             std::int64_t cols) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const std::int64_t s = ids.of(i / cols), k = s * cols + i % cols;
  const bool has = s >= 0 && to_float(x[i]) == to_float(y[k]);
  dx[i] = from_float<T>(has ? to_float(dy[k]) : 0.0f);
}

void launch(const ByIdBackward& args, cudaStream_t stream) {
  const std::int64_t size = args.dx.size();
  if (size == 0) return;
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    each_has_all<<<grid_x(size, 256), 256, 0, stream>>>(
        args.dy.as<const T>(), args.x.as<const T>(), args.y.as<const T>(),
        Ids::of(args.ids, args.dy.shape[0]), args.dx.as<T>(), size, args.dx.shape[1]);
  });
}

std::string maxima(const ByIdBackward& args) {
  return args.kind == Kind::max ? "" : "takes maxima";
}

WARPATH_RUNG(ByIdBackward, launch, .supports = maxima);

}  // namespace
}  // namespace warpath::segment_sum
