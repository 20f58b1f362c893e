// A running sum for boxes of bytes: the work per element does not depend on the size of the blur.
//
// What changed: the weights of a box are equal, so the sum of the next pixel is that of this one, plus the pixel that comes in, less
// the one that goes out. A thread runs down a column of 64 rows; the sums go to shared memory, and threads run along stretches of 32
// pixels of a row. Each run starts with one whole sum, so an element costs about 2 + size / 64 additions in the first pass and
// 2 + size / 32 in the second, where 04 has size of both. Only for bytes: additions of integers undo each other exactly, and
// those of floats do not.
// Limit: latency and loads of single bytes: 04 is faster at 31 x 31. For larger boxes the whole sums at the start of each run.
#include <cuda_runtime.h>

#include "core/host/device.cuh"
#include "core/host/launch.h"
#include "ops/image/blur/taps.cuh"

namespace warpath::blur {
namespace {

constexpr int threads = 256, rows = 64, pixels = 64, stretch = 32;

__global__ void __launch_bounds__(threads)
    running_sum(const unsigned char* x, unsigned char* y,
                const __grid_constant__ Taps<unsigned char> taps, Image image,
                std::int64_t images) {
  extern __shared__ unsigned sums[];  // (rows, wide)
  const int radius = taps.radius, channels = image.channels, size = 2 * radius + 1;
  const int wide = (pixels + 2 * radius) * channels, line = image.line();
  const int first_row = blockIdx.y * rows, first_pixel = blockIdx.x * pixels;
  const int last_row = min(rows, image.height - first_row);
  const int last_pixel = min(pixels, image.width - first_pixel);
  for (std::int64_t g = blockIdx.z; g < images; g += gridDim.z) {
    const unsigned char* const from = x + g * image.size();
    for (int i = threadIdx.x; i < wide; i += threads) {
      const int col = place(first_pixel + i / channels - radius, image.width, taps.border);
      const auto at = [&](int row) {
        const int r = place(row, image.height, taps.border);
        return col < 0 || r < 0
                   ? 0u
                   : unsigned(from[std::int64_t(r) * line + col * channels + i % channels]);
      };
      unsigned sum = 0;
      for (int v = -radius; v <= radius; ++v) sum += at(first_row + v);
      for (int r = 0; r < last_row; ++r) {
        sums[r * wide + i] = sum;
        sum += at(first_row + r + 1 + radius) - at(first_row + r - radius);
      }
    }
    __syncthreads();
    constexpr int parts = pixels / stretch;
    for (int k = threadIdx.x; k < last_row * parts * channels; k += threads) {
      const int c = k % channels, part = k / channels % parts, r = k / channels / parts;
      const unsigned* const in = sums + r * wide + part * stretch * channels + c;
      const int col = first_pixel + part * stretch;
      unsigned char* const to =
          y + g * image.size() + std::int64_t(first_row + r) * line + col * channels + c;
      const int end = min(stretch, last_pixel - part * stretch);
      unsigned sum = 0;
      if (end > 0)
        for (int h = 0; h < size; ++h) sum += in[h * channels];
      for (int p = 0; p < end; ++p) {
        to[p * channels] = taps.finish(sum);
        if (p + 1 < end) sum += in[(p + size) * channels] - in[p * channels];
      }
    }
    __syncthreads();
  }
}

std::size_t shared_bytes(const Args& args) {
  return static_cast<std::size_t>(4 * rows * (pixels + args.size - 1) * args.x.shape[3]);
}

void launch(const Args& args, cudaStream_t stream) {
  check_size(args);
  if (args.x.size() == 0) return;
  const Image image = Image::of(args.x);
  const dim3 grid(grid_x(image.width, pixels), grid_x(image.height, rows),
                  static_cast<unsigned>(std::min(args.x.shape[0], max_grid_z)));
  const int bytes = allow_shared(running_sum, shared_bytes(args));
  running_sum<<<grid, threads, static_cast<std::size_t>(bytes), stream>>>(
      args.x.as<unsigned char>(), args.y.as<unsigned char>(), Taps<unsigned char>::of(args), image,
      args.x.shape[0]);
  CUDA_CHECK(cudaGetLastError());
}

std::string fits(const Args& args) {
  if (args.x.dtype != DType::u8 || args.kind != Kind::box) return "is for boxes of bytes";
  if (const std::string why = enough_shared_memory(shared_bytes(args)); !why.empty()) return why;
  return few_strips(args, rows);
}
std::string large(const Args& args) {
  return args.size > 5 ? "" : "05_four has all places of a small box at compile time";
}

WARPATH_RUNG(Args, launch, .supports = fits, .preferred = large);

}  // namespace
}  // namespace warpath::blur
