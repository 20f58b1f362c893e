// Factors of eight bits, 77, 150 and 29: they add up to 256, so white and black are right; some of the other greys are one off.
#include "core/host/launch.h"
#include "ops/image/grayscale/grayscale.h"
#include "ops/image/grayscale/grey.cuh"

namespace warpath::grayscale {
namespace {

template <class T>
__device__ T eight_bits(T r, T g, T b) {
  if constexpr (sizeof(T) == 1)
    return static_cast<T>((77u * r + 150u * g + 29u * b + 128) >> 8);
  else
    return grey(r, g, b);
}

template <class T>
__global__ void planes_eight_bits(const T* x, T* y, std::int64_t channels, std::int64_t plane,
                                  std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const T* const pixel = x + i / plane * channels * plane + i % plane;
  y[i] = eight_bits(pixel[0], pixel[plane], pixel[2 * plane]);
}

void launch(const Planes& args, cudaStream_t stream) {
  const std::int64_t n = args.y.size(), plane = args.x.shape[2] * args.x.shape[3];
  check_channels(args.x.shape[1]);
  if (n == 0) return;
  dispatch_image(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    planes_eight_bits<T><<<grid_x(n, threads), threads, 0, stream>>>(args.x.as<T>(), args.y.as<T>(),
                                                                     args.x.shape[1], plane, n);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Planes, launch);

}  // namespace
}  // namespace warpath::grayscale
