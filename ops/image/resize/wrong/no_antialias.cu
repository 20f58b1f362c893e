// Always the two nearest pixels: a small image shows some of the pixels and drops the others.
#include "core/host/launch.h"
#include "ops/image/resize/taps.cuh"

namespace warpath::resize {
namespace {

template <class T>
__global__ void no_antialias(const T* x, T* y, Shape s, Axis down, Axis across, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int c = int(i % s.channels), col = int(i / s.channels % s.out_width);
  const std::int64_t line = i / s.channels / s.out_width;
  const T* const from = x + line / s.out_height * s.height * s.width * s.channels + c;
  down.reach = 2 * down.out;
  across.reach = 2 * across.out;
  sum_of<T> sum = 0;
  each_tap<T>(down, line % s.out_height, [&](int row, sum_of<T> v) {
    sum_of<T> part = 0;
    each_tap<T>(across, col, [&](int beside, sum_of<T> h) {
      part += h * widen(from[(std::int64_t(row) * s.width + beside) * s.channels]);
    });
    sum += v * part;
  });
  y[i] = finish<T>(sum);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t n = args.y.size();
  check_sizes(args);
  if (n == 0) return;
  const Shape s = Shape::of(args);
  dispatch_image(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    no_antialias<T><<<grid_x(n, threads), threads, 0, stream>>>(
        args.x.as<T>(), args.y.as<T>(), s, Axis::of(s.height, s.out_height, args.antialias),
        Axis::of(s.width, s.out_width, args.antialias), n);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::resize
