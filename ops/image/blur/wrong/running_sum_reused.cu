// The running sum of a row goes on into the next row: the first pixels of a row still hold the end of the one above.
#include <cuda_runtime.h>

#include "core/host/launch.h"
#include "ops/image/blur/taps.cuh"

namespace warpath::blur {
namespace {

__global__ void running_sum_reused(const unsigned char* x, unsigned char* y,
                                   const __grid_constant__ Taps<unsigned char> taps, Image image,
                                   std::int64_t images) {
  const std::int64_t k = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (k >= images * image.channels) return;
  const int channel = int(k % image.channels), radius = taps.radius;
  const std::int64_t start = k / image.channels * image.size() + channel;
  const auto column = [&](int row, int col) {
    const int c = place(col, image.width, taps.border);
    unsigned sum = 0;
    for (int v = -radius; v <= radius; ++v) {
      const int r = place(row + v, image.height, taps.border);
      if (r >= 0 && c >= 0) sum += x[start + std::int64_t(r) * image.line() + c * image.channels];
    }
    return sum;
  };
  unsigned sum = 0;
  for (int h = -radius; h <= radius; ++h) sum += column(0, h);
  for (int row = 0; row < image.height; ++row)
    for (int col = 0; col < image.width; ++col) {
      y[start + std::int64_t(row) * image.line() + col * image.channels] = taps.finish(sum);
      sum += column(row, col + 1 + radius) - column(row, col - radius);
    }
}

void launch(const Args& args, cudaStream_t stream) {
  check_size(args);
  if (args.x.size() == 0) return;
  const std::int64_t count = args.x.shape[0] * args.x.shape[3];
  running_sum_reused<<<grid_x(count, 32), 32, 0, stream>>>(
      args.x.as<unsigned char>(), args.y.as<unsigned char>(), Taps<unsigned char>::of(args),
      Image::of(args.x), args.x.shape[0]);
}

std::string boxes(const Args& args) {
  return args.x.dtype == DType::u8 && args.kind == Kind::box ? "" : "is for boxes of bytes";
}

WARPATH_RUNG(Args, launch, .supports = boxes);

}  // namespace
}  // namespace warpath::blur
