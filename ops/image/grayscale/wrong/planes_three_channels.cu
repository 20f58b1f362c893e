// An image is taken to be three planes long, also where it has an alpha plane.
#include "core/host/launch.h"
#include "ops/image/grayscale/grayscale.h"
#include "ops/image/grayscale/grey.cuh"

namespace warpath::grayscale {
namespace {

template <class T>
__global__ void planes_three_channels(const T* x, T* y, std::int64_t, std::int64_t plane,
                                      std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const T* const pixel = x + i / plane * 3 * plane + i % plane;
  y[i] = grey(pixel[0], pixel[plane], pixel[2 * plane]);
}

void launch(const Planes& args, cudaStream_t stream) {
  const std::int64_t n = args.y.size(), plane = args.x.shape[2] * args.x.shape[3];
  check_channels(args.x.shape[1]);
  if (n == 0) return;
  dispatch_image(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    planes_three_channels<T><<<grid_x(n, threads), threads, 0, stream>>>(
        args.x.as<T>(), args.y.as<T>(), args.x.shape[1], plane, n);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Planes, launch);

}  // namespace
}  // namespace warpath::grayscale
