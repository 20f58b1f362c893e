// A tile and its halo in shared memory: every element is loaded once per block.
//
// What changed: a block of 16 rows by 64 elements first loads all that its outputs need, the halo included, with the
// border's arithmetic done once per element. The size * size visits then go to shared memory.
// Limit: still size * size visits. A 31 x 31 blur is bound by the reads of shared memory.
#include <cuda_runtime.h>

#include "core/host/launch.h"
#include "ops/image/blur/taps.cuh"

namespace warpath::blur {
namespace {

constexpr int rows = 16, cols = 64, threads = 256;

template <class T>
__global__ void __launch_bounds__(threads)
    shared_tile(const T* x, T* y, const __grid_constant__ Taps<T> taps, Image image,
                std::int64_t images) {
  extern __shared__ unsigned char raw[];
  T* const tile = reinterpret_cast<T*>(raw);
  const int line = image.line(), reach = taps.radius * image.channels;
  const int wide = cols + 2 * reach, tall = rows + 2 * taps.radius;
  const int first_row = blockIdx.y * rows, first_col = blockIdx.x * cols;
  for (std::int64_t g = blockIdx.z; g < images; g += gridDim.z) {
    const T* const from = x + g * image.size();
    for (int i = threadIdx.x; i < wide * tall; i += threads) {
      const int e = first_col + i % wide;  // counted from `reach` before the line
      const int col = e / image.channels - taps.radius, c = e % image.channels;
      const int at = place(first_row + i / wide - taps.radius, image.height, taps.border);
      const int beside = place(col, image.width, taps.border);
      tile[i] =
          at < 0 || beside < 0 ? T(0) : from[std::int64_t(at) * line + beside * image.channels + c];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < rows * cols; i += threads) {
      const int row = i / cols, col = i % cols;
      if (first_row + row >= image.height || first_col + col >= line) continue;
      sum_of<T> sum = 0;
      for (int v = 0; v <= 2 * taps.radius; ++v)
        for (int h = 0; h <= 2 * taps.radius; ++h)
          sum += taps[v] * taps[h] * widen(tile[(row + v) * wide + col + h * image.channels]);
      y[g * image.size() + std::int64_t(first_row + row) * line + first_col + col] =
          taps.finish(sum);
    }
    __syncthreads();
  }
}

std::size_t shared_bytes(const Args& args) {
  const std::int64_t halo = args.size - 1;
  return static_cast<std::size_t>((cols + halo * args.x.shape[3]) * (rows + halo) *
                                  static_cast<std::int64_t>(size_of(args.x.dtype)));
}

void launch(const Args& args, cudaStream_t stream) {
  check_size(args);
  if (args.x.size() == 0) return;
  dispatch_image(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Image image = Image::of(args.x);
    const dim3 grid(grid_x(image.line(), cols), grid_x(image.height, rows),
                    static_cast<unsigned>(std::min(args.x.shape[0], max_grid_z)));
    shared_tile<T><<<grid, threads, shared_bytes(args), stream>>>(
        args.x.as<T>(), args.y.as<T>(), Taps<T>::of(args), image, args.x.shape[0]);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string fits(const Args& args) {
  return shared_bytes(args) <= 48 << 10 ? few_strips(args, rows)
                                        : "a tile and its halo must fit into 48 KiB";
}

WARPATH_RUNG(Args, launch, .supports = fits);

}  // namespace
}  // namespace warpath::blur
