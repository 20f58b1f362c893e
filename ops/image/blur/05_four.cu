// Four neighbouring elements per thread, in both passes.
//
// What changed: a thread loads four elements of a row at once and sums four columns; in the second pass it reads the sums that four
// neighbouring results need as whole vectors, five of them for 5 x 5 pixels of three channels, where rung 04 has twenty loads. Only
// for 3 x 3 and 5 x 5, where all places are known when the kernel is compiled; the halo is widened to a multiple of four, so that no
// vector is misaligned.
// Limit: for bytes the instructions, among them ten integer multiplications per element at half rate. For floats 04 is faster.
#include <cuda_runtime.h>

#include "core/host/launch.h"
#include "core/thread/vector.cuh"
#include "ops/image/blur/taps.cuh"

namespace warpath::blur {
namespace {

constexpr int threads = 128, cols = 4 * threads, rows = 16, tall = 8;

// The sums of `tall` rows of one column, or of four neighbouring ones.
template <int Radius, int N, class T>
__device__ __forceinline__ void sum_columns(sum_of<T> (&sums)[tall][N], const T* columns, int row,
                                            const Taps<T>& taps, const Image& image) {
#pragma unroll
  for (int j = 0; j < tall + 2 * Radius; ++j) {
    const int at = place(row + j - Radius, image.height, taps.border);
    if (at < 0) continue;
    const Vector<T, N> value = load<N>(columns + std::int64_t(at) * image.line());
#pragma unroll
    for (int k = 0; k < tall; ++k)
      if (j >= k && j - k <= 2 * Radius)
#pragma unroll
        for (int n = 0; n < N; ++n) sums[k][n] += taps[j - k] * widen(value.at[n]);
  }
}

template <int Radius, int Channels, class T>
__global__ void __launch_bounds__(threads)
    four(const T* x, T* y, const __grid_constant__ Taps<T> taps, Image image, std::int64_t images) {
  constexpr int reach = Radius * Channels, halo = (reach + 3) / 4 * 4, wide = cols + 2 * halo;
  __shared__ alignas(16) sum_of<T> sums[rows][wide];
  const int line = image.line(), first_row = blockIdx.y * rows, first_col = blockIdx.x * cols;
  for (std::int64_t g = blockIdx.z; g < images; g += gridDim.z) {
    const T* const from = x + g * image.size();
    for (int i = threadIdx.x; i < rows / tall * (wide / 4); i += threads) {
      const int r = i / (wide / 4) * tall, at = i % (wide / 4) * 4, e = first_col - halo + at;
      sum_of<T> four_sums[tall][4] = {};
      if (e >= 0 && e < line) {
        sum_columns<Radius>(four_sums, from + e, first_row + r, taps, image);
      } else {
        // Past the border each element has a place of its own; the halo's spare ones are zeros.
        for (int n = 0; n < 4; ++n) {
          const int shifted = e + n + halo * Channels, col = shifted / Channels - halo;
          const int beside = place(col, image.width, taps.border);
          sum_of<T> one[tall][1] = {};
          if (beside >= 0 && col >= -Radius && col < image.width + Radius)
            sum_columns<Radius>(one, from + beside * Channels + shifted % Channels, first_row + r,
                                taps, image);
          for (int k = 0; k < tall; ++k) sums[r + k][at + n] = one[k][0];
        }
        continue;
      }
#pragma unroll
      for (int k = 0; k < tall; ++k) {
        Vector<sum_of<T>, 4> v;
#pragma unroll
        for (int n = 0; n < 4; ++n) v.at[n] = four_sums[k][n];
        store<4>(&sums[r + k][at], v);
      }
    }
    __syncthreads();
    const int e = first_col + 4 * threadIdx.x;
    for (int r = 0; r < rows && e < line && first_row + r < image.height; ++r) {
      sum_of<T> near[4 + 2 * halo];
#pragma unroll
      for (int v = 0; v < 4 + 2 * halo; v += 4) {
        const auto part = load<4>(&sums[r][4 * threadIdx.x + v]);
#pragma unroll
        for (int n = 0; n < 4; ++n) near[v + n] = part.at[n];
      }
      Vector<T, 4> out;
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        sum_of<T> sum = 0;
#pragma unroll
        for (int h = 0; h <= 2 * Radius; ++h)
          sum += taps[h] * near[halo - reach + n + h * Channels];
        out.at[n] = taps.finish(sum);
      }
      store<4>(y + g * image.size() + std::int64_t(first_row + r) * line + e, out);
    }
    __syncthreads();
  }
}

void launch(const Args& args, cudaStream_t stream) {
  check_size(args);
  if (args.x.size() == 0) return;
  dispatch_image(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Image image = Image::of(args.x);
    const dim3 grid(grid_x(image.line(), cols), grid_x(image.height, rows),
                    static_cast<unsigned>(std::min(args.x.shape[0], max_grid_z)));
    auto* const kernel = args.size == 3 ? (image.channels == 1 ? four<1, 1, T> : four<1, 3, T>)
                                        : (image.channels == 1 ? four<2, 1, T> : four<2, 3, T>);
    kernel<<<grid, threads, 0, stream>>>(args.x.as<T>(), args.y.as<T>(), Taps<T>::of(args), image,
                                         args.x.shape[0]);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string fits(const Args& args) {
  const std::int64_t channels = args.x.shape[3];
  if (args.size != 3 && args.size != 5) return "the blur must be 3 x 3 or 5 x 5";
  if (channels != 1 && channels != 3) return "pixels must have one or three channels";
  const std::size_t vector = 4 * size_of(args.x.dtype);
  if (args.x.shape[2] * channels % 4 != 0 || !args.x.is_aligned(vector) ||
      !args.y.is_aligned(vector))
    return "every row must start at a multiple of four elements";
  return few_strips(args, rows);
}

std::string bytes(const Args& args) {
  return args.x.dtype == DType::u8 ? "" : "04 is faster for floats: by 24% in f32, 28% in bf16";
}

WARPATH_RUNG(Args, launch, .supports = fits, .preferred = bytes);

}  // namespace
}  // namespace warpath::blur
