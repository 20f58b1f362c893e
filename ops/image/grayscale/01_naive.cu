// One thread, one pixel.
//
// Neighbouring threads read neighbouring pixels, but each of the three loads of a warp takes every third element:
// the three together use all bytes of the lines, each alone a third.
// Limit: many small accesses. For bytes a warp has 96 bytes in flight and writes 32.
#include "core/host/launch.h"
#include "ops/image/grayscale/grayscale.h"
#include "ops/image/grayscale/grey.cuh"

namespace warpath::grayscale {
namespace {

template <class T>
__global__ void naive(const T* x, T* y, std::int64_t pixels, std::int64_t channels) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= pixels) return;
  const T* const pixel = x + i * channels;
  y[i] = grey(pixel[0], pixel[1], pixel[2]);
}

void launch(const Packed& args, cudaStream_t stream) {
  const std::int64_t pixels = args.y.size(), channels = args.x.shape[1];
  check_channels(channels);
  if (pixels == 0) return;
  dispatch_image(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    naive<T><<<grid_x(pixels, threads), threads, 0, stream>>>(args.x.as<T>(), args.y.as<T>(),
                                                              pixels, channels);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Packed, launch);

}  // namespace
}  // namespace warpath::grayscale
