// A block stays inside one image: one thread draws the parameters for all.
//
// What changed: the recipe of an image is made once per block, in shared memory, and 16 pixels per thread share
// its cost. Rows and columns come from a multiplication instead of a division.
// Limit: small accesses: one element per plane and thread.
#include <cuda_runtime.h>

#include "core/host/launch.h"
#include "core/thread/divisor.cuh"
#include "ops/image/augment/pixel.cuh"

namespace warpath::augment {
namespace {

constexpr int threads = 256, steps = 16;

template <class T>
__global__ void __launch_bounds__(threads)
    by_image(const unsigned char* x, T* y, const float* mean, const float* std,
             const __grid_constant__ Ranges ranges, Divisor by_width, int height, int width,
             std::int64_t batch) {
  __shared__ Recipe recipe;
  const int pixels = ranges.height * ranges.width;
  for (std::int64_t image = blockIdx.y; image < batch; image += gridDim.y) {
    if (threadIdx.x == 0) recipe = Recipe::of(ranges, image, mean, std);
    __syncthreads();
    const Source from = {x + image * height * width * 3, height, width};
    for (int s = 0; s < steps; ++s) {
      const int p = (blockIdx.x * steps + s) * threads + threadIdx.x;
      if (p >= pixels) break;
      const int row = by_width.quotient(p);
      float v[3];
      make_pixel(v, from, recipe, ranges, row, p - row * ranges.width);
#pragma unroll
      for (int c = 0; c < 3; ++c) y[(image * 3 + c) * pixels + p] = from_float<T>(v[c]);
    }
    __syncthreads();  // before the next image's recipe
  }
}

void launch(const Args& args, cudaStream_t stream) {
  const Ranges ranges = Ranges::of(args);
  if (args.y.size() == 0) return;
  dispatch_float(args.y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const dim3 grid(grid_x(std::int64_t(ranges.height) * ranges.width, threads * steps),
                    static_cast<unsigned>(std::min<std::int64_t>(args.x.shape[0], 65535)));
    by_image<T><<<grid, threads, 0, stream>>>(args.x.as<unsigned char>(), args.y.as<T>(),
                                              args.mean.as<float>(), args.std.as<float>(), ranges,
                                              Divisor::of(ranges.width), int(args.x.shape[1]),
                                              int(args.x.shape[2]), args.x.shape[0]);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::augment
