// Reflection that repeats the first pixel (c b a a b c): one of three rules that are all called "reflect" somewhere.
#include "core/host/launch.h"
#include "ops/image/blur/taps.cuh"

namespace warpath::blur {
namespace {

__device__ int place_twice(int i, int n, Border border) {
  if (border != Border::reflect || (i >= 0 && i < n)) return place(i, n, border);
  i = (i < 0 ? -i - 1 : i) % (2 * n);
  return i < n ? i : 2 * n - 1 - i;
}

template <class T>
__global__ void repeats_the_edge(const T* x, T* y, const __grid_constant__ Taps<T> taps,
                                 Image image, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int line = image.line(), e = int(i % line), row = int(i / line % image.height);
  const int c = e % image.channels, col = e / image.channels;
  const T* const from = x + i / image.size() * image.size();
  sum_of<T> sum = 0;
  for (int v = -taps.radius; v <= taps.radius; ++v) {
    const int at = place_twice(row + v, image.height, taps.border);
    if (at < 0) continue;
    for (int h = -taps.radius; h <= taps.radius; ++h) {
      const int beside = place_twice(col + h, image.width, taps.border);
      if (beside < 0) continue;
      sum += taps[v + taps.radius] * taps[h + taps.radius] *
             widen(from[std::int64_t(at) * line + beside * image.channels + c]);
    }
  }
  y[i] = taps.finish(sum);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t n = args.x.size();
  check_size(args);
  if (n == 0) return;
  dispatch_image(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    repeats_the_edge<T><<<grid_x(n, threads), threads, 0, stream>>>(
        args.x.as<T>(), args.y.as<T>(), Taps<T>::of(args), Image::of(args.x), n);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::blur
