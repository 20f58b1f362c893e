// The kernel of the second rungs: 16 bytes per access, for patches whose rows are whole vectors.
#pragma once
#include "core/host/launch.h"
#include "core/ptx/load_last.cuh"
#include "core/thread/divisor.cuh"
#include "ops/image/patchify/patchify.h"

namespace warpath::patchify {
namespace {

constexpr int vector_threads = 256;

// A band is what one row of patches covers: of all channels, `height` rows of the image. Its pieces are vectors.
struct Band {
  std::int64_t channels, rows;
  int height, cols, width;  // width in vectors
  int size;                 // vectors of a band
  Divisor by_width, by_height, by_channels, by_cols;

  static Band of(const Tensor& x, int vector_bytes) {
    const auto width = static_cast<int>(x.shape[5] * size_of(x.dtype) / vector_bytes);
    const auto height = static_cast<int>(x.shape[3]), cols = static_cast<int>(x.shape[4]);
    const auto channels = static_cast<int>(x.shape[1]);
    return {channels,
            x.shape[2],
            height,
            cols,
            width,
            channels * height * cols * width,
            Divisor::of(width),
            Divisor::of(height),
            Divisor::of(channels),
            Divisor::of(cols)};
  }
  // Where vector v of a band in the order of the patches is in the image. The bands of an image are rows apart.
  __device__ __forceinline__ std::int64_t in_image(std::int64_t b, std::int64_t r, int v) const {
    int at = by_width.quotient(v);
    const int w = v - at * width;
    int over = by_height.quotient(at);
    const int h = at - over * height;
    at = over;
    over = by_channels.quotient(at);
    const int c = at - over * int(channels), s = over;
    return (((b * channels + c) * rows + r) * height + h) * (std::int64_t(cols) * width) +
           s * width + w;
  }
};

template <bool To>
__global__ void __launch_bounds__(vector_threads)
    vectors(const uint4* from, uint4* to, const __grid_constant__ Band band, std::int64_t bands) {
  const int v = blockIdx.x * vector_threads + threadIdx.x;
  if (v >= band.size) return;
  for (std::int64_t g = blockIdx.y; g < bands; g += gridDim.y) {
    const std::int64_t image = band.in_image(g / band.rows, g % band.rows, v);
    const std::int64_t patches = g * band.size + v;
    to[To ? patches : image] = ptx::load_last(from + (To ? image : patches), true);
  }
}

template <bool To>
void run_vectors(const Tensor& image, const Tensor& from, const Tensor& to, cudaStream_t stream) {
  if (from.size() == 0) return;
  const Band band = Band::of(image, 16);
  const std::int64_t bands = image.shape[0] * image.shape[2];
  const dim3 grid(grid_x(band.size, vector_threads),
                  static_cast<unsigned>(std::min<std::int64_t>(bands, 65535)));
  vectors<To><<<grid, vector_threads, 0, stream>>>(from.as<uint4>(), to.as<uint4>(), band, bands);
  CUDA_CHECK(cudaGetLastError());
}

inline std::string fits_vectors(const Tensor& x, const Tensor& y) {
  if (x.shape[5] * size_of(x.dtype) % 16 != 0)
    return "the rows of a patch must be multiples of 16 bytes";
  if (!x.is_aligned(16) || !y.is_aligned(16))
    return "its tensors must start at multiples of 16 bytes";
  if (x.size() / std::max<std::int64_t>(x.shape[0] * x.shape[2], 1) >= std::int64_t(1) << 31)
    return "a row of patches must have less than 2^31 elements";
  return "";
}

}  // namespace
}  // namespace warpath::patchify
