// Four neighbouring pixels per thread: one wide store per plane.
//
// What changed: a thread makes four pixels of a row and stores them as one vector in each plane, 16 bytes of floats or 8 of
// halves. The bytes of neighbouring threads are neighbours, so the L1 cache serves whole lines.
// Limit: for crops latency: a thread loads and colours one pixel before it loads the next. With a rotation the
// instructions, four times as many loads and their weights.
#include <cuda_runtime.h>

#include "core/host/launch.h"
#include "core/thread/divisor.cuh"
#include "core/thread/vector.cuh"
#include "ops/image/augment/neighbours.cuh"

namespace warpath::augment {
namespace {

constexpr int threads = 256, steps = 4, N = 4;

template <class T>
__global__ void __launch_bounds__(threads)
    vectors(const unsigned char* x, T* y, const float* mean, const float* std,
            const __grid_constant__ Ranges ranges, Divisor by_width, int height, int width,
            std::int64_t batch) {
  __shared__ Recipe recipe;
  const int pixels = ranges.height * ranges.width, across = ranges.width / N;
  for (std::int64_t image = blockIdx.y; image < batch; image += gridDim.y) {
    if (threadIdx.x == 0) recipe = Recipe::of(ranges, image, mean, std);
    __syncthreads();
    const Source from = {x + image * height * width * 3, height, width};
    for (int s = 0; s < steps; ++s) {
      const int i = (blockIdx.x * steps + s) * threads + threadIdx.x;
      if (i >= pixels / N) break;
      const int row = by_width.quotient(i), col = (i - row * across) * N;
      Vector<T, N> out[3];
#pragma unroll
      for (int k = 0; k < N; ++k) {
        float v[3];
        make_pixel(v, from, recipe, ranges, row, col + k);
#pragma unroll
        for (int c = 0; c < 3; ++c) out[c].at[k] = from_float<T>(v[c]);
      }
#pragma unroll
      for (int c = 0; c < 3; ++c)
        store<N>(y + (image * 3 + c) * pixels + row * ranges.width + col, out[c]);
    }
    __syncthreads();  // before the next image's recipe
  }
}

void launch(const Args& args, cudaStream_t stream) {
  launch_neighbours<N>(args, threads, threads * steps * N, stream,
                       []<class T>(Tag<T>) { return vectors<T>; });
}

WARPATH_RUNG(Args, launch, .supports = takes_neighbours<N>);

}  // namespace
}  // namespace warpath::augment
