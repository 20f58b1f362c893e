// As many pixels per thread as 16 bytes of the result hold: 48 bytes in, 16 bytes out.
//
// What changed: three channels never fill a vector, but 16 pixels of bytes are three vectors exactly, and so are
// 8 pixels of halves or 4 of floats. A thread loads its three vectors (four with alpha) at once.
// Limit: the loads of neighbouring threads are 48 bytes apart. Each of the three touches all lines of the warp, so the
// L1 cache works three times for each line; and a line must stay there until the last of the three comes.
#include "core/host/launch.h"
#include "core/thread/vector.cuh"
#include "ops/image/grayscale/grayscale.h"
#include "ops/image/grayscale/grey.cuh"

namespace warpath::grayscale {
namespace {

constexpr int threads = 256;

template <class T, int Channels>
__global__ void __launch_bounds__(threads) vectorised(const T* x, T* y, std::int64_t pixels) {
  constexpr int E = lanes_of_16<T>;
  const std::int64_t first = (std::int64_t(blockIdx.x) * threads + threadIdx.x) * E;
  if (first + E <= pixels) {
    T in[Channels * E];
#pragma unroll
    for (int v = 0; v < Channels; ++v) {
      const auto part = load_kept<E>(x + first * Channels + v * E);
#pragma unroll
      for (int k = 0; k < E; ++k) in[v * E + k] = part.at[k];
    }
    Vector<T, E> out;
#pragma unroll
    for (int k = 0; k < E; ++k)
      out.at[k] = grey(in[k * Channels], in[k * Channels + 1], in[k * Channels + 2]);
    store<E>(y + first, out);
    return;
  }
  for (std::int64_t i = first; i < pixels; ++i)
    y[i] = grey(x[i * Channels], x[i * Channels + 1], x[i * Channels + 2]);
}

void launch(const Packed& args, cudaStream_t stream) {
  const std::int64_t pixels = args.y.size();
  check_channels(args.x.shape[1]);
  if (pixels == 0) return;
  dispatch_image(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const unsigned blocks = grid_x(pixels, threads * lanes_of_16<T>);
    auto* const kernel = args.x.shape[1] == 3 ? vectorised<T, 3> : vectorised<T, 4>;
    kernel<<<blocks, threads, 0, stream>>>(args.x.as<T>(), args.y.as<T>(), pixels);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string fits(const Packed& args) {
  if (args.x.shape[1] > 4) return "pixels must have three or four channels";
  const bool aligned = args.x.is_aligned(16) && args.y.is_aligned(16);
  return aligned ? "" : "its tensors must start at multiples of 16 bytes";
}

WARPATH_RUNG(Packed, launch, .supports = fits);

}  // namespace
}  // namespace warpath::grayscale
