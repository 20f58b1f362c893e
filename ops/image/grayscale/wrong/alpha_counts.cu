// A pixel as four numbers times (0.299, 0.587, 0.114, 0): an alpha that is NaN or infinite makes the grey NaN.
#include "core/host/launch.h"
#include "ops/image/grayscale/grayscale.h"
#include "ops/image/grayscale/grey.cuh"

namespace warpath::grayscale {
namespace {

template <class T>
__global__ void alpha_counts(const T* x, T* y, std::int64_t pixels, std::int64_t channels) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= pixels) return;
  const T* const pixel = x + i * channels;
  const T grey3 = grey(pixel[0], pixel[1], pixel[2]);
  y[i] = channels < 4 ? grey3 : static_cast<T>(float(grey3) + 0.0f * float(pixel[3]));
}

void launch(const Packed& args, cudaStream_t stream) {
  const std::int64_t pixels = args.y.size(), channels = args.x.shape[1];
  check_channels(channels);
  if (pixels == 0) return;
  dispatch_image(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    alpha_counts<T><<<grid_x(pixels, threads), threads, 0, stream>>>(args.x.as<T>(), args.y.as<T>(),
                                                                     pixels, channels);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Packed, launch);

}  // namespace
}  // namespace warpath::grayscale
