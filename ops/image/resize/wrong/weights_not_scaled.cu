// All results divide by the sum of the weights of the middle one: at the border pixels are missing, and the edges get dark.
#include "core/host/launch.h"
#include "ops/image/resize/taps.cuh"

namespace warpath::resize {
namespace {

template <class T, class F>
__device__ void each_tap_by_middle(const Axis& axis, std::int64_t o, F&& f) {
  const std::int64_t total = total_weight(axis, axis.out / 2);
  ByteWeights units{total};
  for (std::int64_t j = axis.first(o); j < axis.end(o); ++j) {
    if constexpr (sizeof(T) == 1)
      f(int(j), units.next(axis.weight(o, j)));
    else
      f(int(j), float(axis.weight(o, j)) / float(total));
  }
}

template <class T>
__global__ void weights_not_scaled(const T* x, T* y, Shape s, Axis down, Axis across,
                                   std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int c = int(i % s.channels), col = int(i / s.channels % s.out_width);
  const std::int64_t line = i / s.channels / s.out_width;
  const T* const from = x + line / s.out_height * s.height * s.width * s.channels + c;
  sum_of<T> sum = 0;
  each_tap_by_middle<T>(down, line % s.out_height, [&](int row, sum_of<T> v) {
    sum_of<T> part = 0;
    each_tap_by_middle<T>(across, col, [&](int beside, sum_of<T> h) {
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
    weights_not_scaled<T><<<grid_x(n, threads), threads, 0, stream>>>(
        args.x.as<T>(), args.y.as<T>(), s, Axis::of(s.height, s.out_height, args.antialias),
        Axis::of(s.width, s.out_width, args.antialias), n);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::resize
