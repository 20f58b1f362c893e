// The corner pixels of both images are laid on each other (align_corners=True): another grid, half a pixel off at the ends.
#include "core/host/launch.h"
#include "ops/image/resize/taps.cuh"

namespace warpath::resize {
namespace {

// Result o lies at pixel o (in - 1) / (out - 1).
template <class T, class F>
__device__ void each_aligned_tap(const Axis& axis, std::int64_t o, F&& f) {
  if (axis.in == 1 || axis.out == 1) return each_tap<T>(axis, o, f);
  const std::int64_t last = axis.out - 1, reach = axis.reach > 2 * axis.out ? axis.in - 1 : last;
  std::int64_t total = 0;
  const auto weight = [&](std::int64_t j) {
    return max(reach - abs((long long)(j * last - o * (axis.in - 1))), 0LL);
  };
  for (std::int64_t j = 0; j < axis.in; ++j) total += weight(j);
  ByteWeights units{total};
  for (std::int64_t j = 0; j < axis.in; ++j) {
    if (weight(j) == 0) continue;
    if constexpr (sizeof(T) == 1)
      f(int(j), units.next(weight(j)));
    else
      f(int(j), float(weight(j)) / float(total));
  }
}

template <class T>
__global__ void corners_aligned(const T* x, T* y, Shape s, Axis down, Axis across, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int c = int(i % s.channels), col = int(i / s.channels % s.out_width);
  const std::int64_t line = i / s.channels / s.out_width;
  const T* const from = x + line / s.out_height * s.height * s.width * s.channels + c;
  sum_of<T> sum = 0;
  each_aligned_tap<T>(down, line % s.out_height, [&](int row, sum_of<T> v) {
    sum_of<T> part = 0;
    each_aligned_tap<T>(across, col, [&](int beside, sum_of<T> h) {
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
    corners_aligned<T><<<grid_x(n, threads), threads, 0, stream>>>(
        args.x.as<T>(), args.y.as<T>(), s, Axis::of(s.height, s.out_height, args.antialias),
        Axis::of(s.width, s.out_width, args.antialias), n);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::resize
