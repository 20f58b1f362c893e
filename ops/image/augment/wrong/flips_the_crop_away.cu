// The flip mirrors the image, not the crop: the corner that was drawn is another one then.
#include "core/host/launch.h"
#include "ops/image/augment/pixel.cuh"

namespace warpath::augment {
namespace {

template <class T>
__global__ void flips_the_crop_away(const unsigned char* x, T* y, const float* mean,
                                    const float* std, Ranges ranges, int height, int width,
                                    std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int pixels = ranges.height * ranges.width, p = int(i % pixels);
  const std::int64_t image = i / pixels;
  const Source from = {x + image * height * width * 3, height, width};
  Recipe recipe = Recipe::of(ranges, image, mean, std);
  Draws& d = recipe.draws;
  if (d.flip) d.left = width - ranges.width - d.left;
  float v[3];
  make_pixel(v, from, recipe, ranges, p / ranges.width, p % ranges.width);
  for (int c = 0; c < 3; ++c) y[(image * 3 + c) * pixels + p] = from_float<T>(v[c]);
}

void launch(const Args& args, cudaStream_t stream) {
  const Ranges ranges = Ranges::of(args);
  const std::int64_t n = args.y.size() / 3;
  if (n == 0) return;
  dispatch_float(args.y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    flips_the_crop_away<T><<<grid_x(n, threads), threads, 0, stream>>>(
        args.x.as<unsigned char>(), args.y.as<T>(), args.mean.as<float>(), args.std.as<float>(),
        ranges, int(args.x.shape[1]), int(args.x.shape[2]), n);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::augment
