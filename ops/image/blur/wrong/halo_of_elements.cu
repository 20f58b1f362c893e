// The halo is `radius` elements wide, not pixels: right for planes, wrong for packed pixels.
#include "core/host/launch.h"
#include "ops/image/blur/taps.cuh"

namespace warpath::blur {
namespace {

template <class T>
__global__ void halo_of_elements(const T* x, T* y, const __grid_constant__ Taps<T> taps,
                                 Image image, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int line = image.line(), e = int(i % line), row = int(i / line % image.height);
  const int col = e / image.channels;
  const T* const from = x + i / image.size() * image.size();
  const auto at_element = [](int element, int shift, int length) {
    return min(max(element + shift, 0), length - 1);
  };
  sum_of<T> sum = 0;
  for (int v = -taps.radius; v <= taps.radius; ++v) {
    const int at = place(row + v, image.height, taps.border);
    if (at < 0) continue;
    for (int h = -taps.radius; h <= taps.radius; ++h) {
      const int beside = place(col + h, image.width, taps.border);
      if (beside < 0) continue;
      sum += taps[v + taps.radius] * taps[h + taps.radius] *
             widen(from[std::int64_t(at) * line + at_element(e, h, line)]);
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
    halo_of_elements<T><<<grid_x(n, threads), threads, 0, stream>>>(
        args.x.as<T>(), args.y.as<T>(), Taps<T>::of(args), Image::of(args.x), n);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::blur
