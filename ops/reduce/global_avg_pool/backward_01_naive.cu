// One thread per pixel: the gradient of its channel, divided.
//
// Limit: an integer division and a float division per element, and a store of 2 or 4 bytes per thread.
#include "ops/reduce/global_avg_pool/image.cuh"

namespace warpath::global_avg_pool {
namespace {

template <class T>
__global__ void backward_naive(const T* dy, T* dx, std::int64_t n, std::int64_t pixels) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) dx[i] = from_float<T>(to_float(dy[i / pixels]) / float(pixels));
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t n = args.dx.size();
  if (n == 0) return;
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    backward_naive<T>
        <<<grid_x(n, 256), 256, 0, stream>>>(args.dy.as<T>(), args.dx.as<T>(), n, args.dx.shape[2]);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::global_avg_pool
