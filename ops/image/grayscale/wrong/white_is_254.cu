// Factors with four digits, and the fraction cut off: the factors add up to 0.9999, so white becomes 254. It is what
// several libraries do.
#include "core/host/launch.h"
#include "ops/image/grayscale/grayscale.h"
#include "ops/image/grayscale/grey.cuh"

namespace warpath::grayscale {
namespace {

template <class T>
__global__ void white_is_254(const T* x, T* y, std::int64_t pixels, std::int64_t channels) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= pixels) return;
  const T* const pixel = x + i * channels;
  const float sum = 0.2989f * float(pixel[0]) + 0.587f * float(pixel[1]) + 0.114f * float(pixel[2]);
  y[i] = static_cast<T>(sum);
}

void launch(const Packed& args, cudaStream_t stream) {
  const std::int64_t pixels = args.y.size(), channels = args.x.shape[1];
  check_channels(channels);
  if (pixels == 0) return;
  dispatch_image(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    white_is_254<T><<<grid_x(pixels, threads), threads, 0, stream>>>(args.x.as<T>(), args.y.as<T>(),
                                                                     pixels, channels);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Packed, launch);

}  // namespace
}  // namespace warpath::grayscale
