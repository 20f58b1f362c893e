// Both passes in one kernel: the sums of the columns stay in shared memory.
//
// What changed: a block makes 32 rows of 256 elements. It first sums the columns, those of the halo beside it included,
// eight rows per thread: an element of the image is loaded once for eight sums, and the weights move through registers.
// The sums go to shared memory, where the second pass reads neighbours from neighbouring banks. The image is read
// once (its halo again, from L2) and written once. Small blurs have kernels of their own in which all weights are operands
// of the instructions.
// Limit: for 5 x 5 in float the memory. For bytes and for large blurs the instructions: two per weight along a row, one along
// a column, and a pixel of bytes has only two bytes to wait for.
#include <cuda_runtime.h>

#include "core/host/device.cuh"
#include "core/host/launch.h"
#include "ops/image/blur/taps.cuh"

namespace warpath::blur {
namespace {

constexpr int threads = 256, cols = threads, rows = 32;
constexpr int tall = 8;  // sums per thread down a column; not more than `pad`
constexpr int deep = 4;  // rows per thread along the rows

// The sums of `tall` rows from `row` on. Radius: 0 where it is known at run time only. Inside: no row is past a border.
template <int Radius, bool Inside, class T>
__device__ __forceinline__ void sum_column(sum_of<T> (&sums)[tall], const T* column, int row,
                                           const Taps<T>& taps, const Image& image) {
  const int radius = Radius ? Radius : taps.radius;
  sum_of<T> weights[tall];
#pragma unroll
  for (int k = 0; k < tall; ++k) sums[k] = weights[k] = 0;
  const auto step = [&](int j) {
  // Row `row + j - radius` counts for the sum of row k with weight j - k.
#pragma unroll
    for (int k = tall - 1; k > 0; --k) weights[k] = weights[k - 1];
    weights[0] = taps[j];  // zero past the last
    const int at = Inside ? row + j - radius : place(row + j - radius, image.height, taps.border);
    if (!Inside && at < 0) return;
    const sum_of<T> value = widen(column[std::int64_t(at) * image.line()]);
    // At both ends some sums do not include it: not even times zero, as it may be infinite.
    const bool all = j >= tall - 1 && j <= 2 * radius;
#pragma unroll
    for (int k = 0; k < tall; ++k)
      if (all || (j >= k && j - k <= 2 * radius)) sums[k] += weights[k] * value;
  };
  if constexpr (Radius > 0) {
#pragma unroll
    for (int j = 0; j < tall + 2 * Radius; ++j) step(j);
  } else {
#pragma unroll 8
    for (int j = 0; j < tall + 2 * radius; ++j) step(j);
  }
}

template <int Radius, class T>
__global__ void __launch_bounds__(threads)
    fused(const T* x, T* y, const __grid_constant__ Taps<T> taps, Image image,
          std::int64_t images) {
  extern __shared__ unsigned char raw[];
  auto* const sums = reinterpret_cast<sum_of<T>*>(raw);
  const int radius = Radius ? Radius : taps.radius;
  const int line = image.line(), wide = cols + 2 * radius * image.channels;
  const int first_row = blockIdx.y * rows, first_col = blockIdx.x * cols;
  const bool inside = first_row >= radius && first_row + rows + radius <= image.height;
  for (std::int64_t g = blockIdx.z; g < images; g += gridDim.z) {
    const T* const from = x + g * image.size();
    for (int i = threadIdx.x; i < wide; i += threads) {
      // Counted from the halo's first pixel, so that nothing is negative.
      const int e = first_col + i, col = e / image.channels;
      const int beside = place(col - radius, image.width, taps.border);
      for (int r = 0; r < rows; r += tall) {
        sum_of<T> column[tall] = {};
        const T* const at = from + beside * image.channels + e - col * image.channels;
        if (beside >= 0 && inside)
          sum_column<Radius, true>(column, at, first_row + r, taps, image);
        else if (beside >= 0)
          sum_column<Radius, false>(column, at, first_row + r, taps, image);
#pragma unroll
        for (int k = 0; k < tall; ++k) sums[(r + k) * wide + i] = column[k];
      }
    }
    __syncthreads();
    const int e = first_col + threadIdx.x;
    T* const to = y + g * image.size() + std::int64_t(first_row) * line + e;
    for (int r = 0; r < rows && e < line; r += deep) {
      sum_of<T> sum[deep] = {};
#pragma unroll(Radius > 0 ? 2 * Radius + 1 : 4)
      for (int h = 0; h <= 2 * radius; ++h)
#pragma unroll
        for (int k = 0; k < deep; ++k)
          sum[k] += taps[h] * sums[(r + k) * wide + threadIdx.x + h * image.channels];
#pragma unroll
      for (int k = 0; k < deep; ++k)
        if (first_row + r + k < image.height) to[std::int64_t(r + k) * line] = taps.finish(sum[k]);
    }
    __syncthreads();
  }
}

std::size_t shared_bytes(const Args& args) {
  return static_cast<std::size_t>(rows * 4 * (cols + (args.size - 1) * args.x.shape[3]));
}

void launch(const Args& args, cudaStream_t stream) {
  check_size(args);
  if (args.x.size() == 0) return;
  dispatch_image(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Image image = Image::of(args.x);
    const dim3 grid(grid_x(image.line(), cols), grid_x(image.height, rows),
                    static_cast<unsigned>(std::min(args.x.shape[0], max_grid_z)));
    auto* const kernel = args.size == 3 ? fused<1, T> : args.size == 5 ? fused<2, T> : fused<0, T>;
    const int bytes = allow_shared(kernel, shared_bytes(args));
    kernel<<<grid, threads, static_cast<std::size_t>(bytes), stream>>>(
        args.x.as<T>(), args.y.as<T>(), Taps<T>::of(args), image, args.x.shape[0]);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string fits(const Args& args) {
  if (const std::string why = enough_shared_memory(shared_bytes(args)); !why.empty()) return why;
  return few_strips(args, rows);
}

WARPATH_RUNG(Args, launch, .supports = fits);

}  // namespace
}  // namespace warpath::blur
