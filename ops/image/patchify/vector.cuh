// The kernel of the second rungs: 16 bytes per access, for patches whose rows are whole vectors.
#pragma once
#include "core/host/launch.h"
#include "core/ptx/load_last.cuh"
#include "core/thread/divisor.cuh"
#include "ops/image/patchify/patchify.h"

namespace warpath::patchify {
namespace {

constexpr int vector_threads = 256, vectors_in_flight = 4;

// A band is what one row of patches covers: of all channels, `height` rows of the image. Its pieces are vectors.
struct Band {
  std::int64_t channels, rows;
  int height, cols, width;  // width in vectors
  int size;                 // vectors of a band
  Divisor by_width, by_height, by_channels, by_size, by_rows;

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
            Divisor::of(channels * height * cols * width),
            Divisor::of(static_cast<int>(x.shape[2]))};
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
    vectors(const uint4* from, uint4* to, const __grid_constant__ Band band, int total) {
  const int first = blockIdx.x * vector_threads * vectors_in_flight + threadIdx.x;
  uint4 moved[vectors_in_flight];
  std::int64_t image[vectors_in_flight];
#pragma unroll
  for (int u = 0; u < vectors_in_flight; ++u) {
    const int i = first + u * vector_threads;
    if (i >= total) break;
    const int g = band.by_size.quotient(i), b = band.by_rows.quotient(g);
    image[u] = band.in_image(b, g - b * band.rows, i - g * band.size);
    moved[u] = ptx::load_last(from + (To ? image[u] : i), true);
  }
#pragma unroll
  for (int u = 0; u < vectors_in_flight; ++u) {
    const int i = first + u * vector_threads;
    if (i < total) to[To ? i : image[u]] = moved[u];
  }
}

template <bool To>
void run_vectors(const Tensor& image, const Tensor& from, const Tensor& to, cudaStream_t stream) {
  if (from.size() == 0) return;
  const auto total = static_cast<int>(from.bytes() / 16);
  vectors<To><<<grid_x(total, vector_threads * vectors_in_flight), vector_threads, 0, stream>>>(
      from.as<uint4>(), to.as<uint4>(), Band::of(image, 16), total);
  CUDA_CHECK(cudaGetLastError());
}

inline std::string fits_vectors(const Tensor& x, const Tensor& y) {
  if (x.shape[5] * size_of(x.dtype) % 16 != 0)
    return "the rows of a patch must be multiples of 16 bytes";
  if (!x.is_aligned(16) || !y.is_aligned(16))
    return "its tensors must start at multiples of 16 bytes";
  if (x.bytes() >= std::int64_t(1) << 34) return "takes images of less than 16 GiB together";
  return "";
}

}  // namespace
}  // namespace warpath::patchify
