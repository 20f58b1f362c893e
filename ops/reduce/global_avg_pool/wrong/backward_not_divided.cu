// The gradient of a sum, not of a mean: right for images of one pixel.
#include "ops/reduce/global_avg_pool/image.cuh"

namespace warpath::global_avg_pool {
namespace {

template <class T>
__global__ void backward_not_divided(const T* dy, T* dx, std::int64_t n, std::int64_t pixels) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) dx[i] = dy[i / pixels];
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t n = args.dx.size();
  if (n == 0) return;
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    backward_not_divided<T>
        <<<grid_x(n, 256), 256, 0, stream>>>(args.dy.as<T>(), args.dx.as<T>(), n, args.dx.shape[2]);
  });
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::global_avg_pool
