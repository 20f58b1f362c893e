// Four pixels per thread, and only whole groups of four: what a plane has beyond them is never written.
#include "core/host/launch.h"
#include "ops/image/grayscale/grayscale.h"
#include "ops/image/grayscale/grey.cuh"

namespace warpath::grayscale {
namespace {

constexpr int pixels = 4;

template <class T>
__global__ void planes_rest_left(const T* x, T* y, std::int64_t channels, std::int64_t plane,
                                 std::int64_t images) {
  const std::int64_t groups = plane / pixels;  // of one image; (plane + 3) / 4 would be all
  const std::int64_t group = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (group >= images * groups) return;
  const std::int64_t image = group / groups, first = group % groups * pixels;
  for (int k = 0; k < pixels; ++k) {
    const T* const pixel = x + image * channels * plane + first + k;
    y[image * plane + first + k] = grey(pixel[0], pixel[plane], pixel[2 * plane]);
  }
}

void launch(const Planes& args, cudaStream_t stream) {
  const std::int64_t images = args.x.shape[0], plane = args.x.shape[2] * args.x.shape[3];
  check_channels(args.x.shape[1]);
  if (images * plane < pixels) return;
  dispatch_image(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    planes_rest_left<T><<<grid_x(images * plane / pixels, threads), threads, 0, stream>>>(
        args.x.as<T>(), args.y.as<T>(), args.x.shape[1], plane, images);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Planes, launch);

}  // namespace
}  // namespace warpath::grayscale
