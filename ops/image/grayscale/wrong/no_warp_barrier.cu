// The warp's bytes go through shared memory without a barrier: lanes have not run in lockstep since Volta.
#include "core/host/launch.h"
#include "core/thread/vector.cuh"
#include "ops/image/grayscale/grayscale.h"
#include "ops/image/grayscale/grey.cuh"

namespace warpath::grayscale {
namespace {

constexpr int threads = 256, warps = threads / 32;

template <class T>
__device__ __forceinline__ void one_by_one(const T* x, T* y, int channels, std::int64_t first,
                                           std::int64_t pixels) {
  for (std::int64_t i = first + threadIdx.x % 32; i < pixels; i += 32)
    y[i] = grey(x[i * channels], x[i * channels + 1], x[i * channels + 2]);
}

template <class T>
__global__ void __launch_bounds__(threads) staged(const T* x, T* y, std::int64_t pixels) {
  constexpr int E = lanes_of_16<T>;
  __shared__ alignas(16) T room[warps][3 * 32 * E];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::int64_t first = (std::int64_t(blockIdx.x) * warps + warp) * 32 * E;
  if (first + 32 * E > pixels) return one_by_one(x, y, 3, first, pixels);

  Vector<T, E> in[3];
#pragma unroll
  for (int v = 0; v < 3; ++v) in[v] = load_kept<E>(x + first * 3 + (v * 32 + lane) * E);
#pragma unroll
  for (int v = 0; v < 3; ++v) store<E>(room[warp] + (v * 32 + lane) * E, in[v]);
#pragma unroll
  for (int v = 0; v < 3; ++v) in[v] = load<E>(room[warp] + (lane * 3 + v) * E);
  Vector<T, E> out;
#pragma unroll
  for (int k = 0; k < E; ++k) {
    const auto channel = [&](int c) { return in[(3 * k + c) / E].at[(3 * k + c) % E]; };
    out.at[k] = grey(channel(0), channel(1), channel(2));
  }
  store<E>(y + first + lane * E, out);
}

// Vectors of whole pixels: 4 of bytes, 2 of halves, 1 of floats.
template <class T>
__global__ void __launch_bounds__(threads) four_channels(const T* x, T* y, std::int64_t pixels) {
  constexpr int E = lanes_of_16<T>, P = E / 4, steps = 4;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::int64_t first = (std::int64_t(blockIdx.x) * warps + warp) * 32 * P * steps;
  if (first + 32 * P * steps > pixels) return one_by_one(x, y, 4, first, pixels);

  Vector<T, E> in[steps];
#pragma unroll
  for (int s = 0; s < steps; ++s) in[s] = load_kept<E>(x + first * 4 + (s * 32 + lane) * E);
#pragma unroll
  for (int s = 0; s < steps; ++s) {
    Vector<T, P> out;
#pragma unroll
    for (int k = 0; k < P; ++k)
      out.at[k] = grey(in[s].at[4 * k], in[s].at[4 * k + 1], in[s].at[4 * k + 2]);
    store<P>(y + first + (s * 32 + lane) * P, out);
  }
}

void launch(const Packed& args, cudaStream_t stream) {
  const std::int64_t pixels = args.y.size();
  check_channels(args.x.shape[1]);
  if (pixels == 0) return;
  dispatch_image(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    // Both kernels make 16 bytes of the result per thread.
    const unsigned blocks = grid_x(pixels, threads * lanes_of_16<T>);
    auto* const kernel = args.x.shape[1] == 3 ? staged<T> : four_channels<T>;
    kernel<<<blocks, threads, 0, stream>>>(args.x.as<T>(), args.y.as<T>(), pixels);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string fits(const Packed& args) {
  if (args.x.shape[1] > 4) return "pixels must have three or four channels";
  const bool aligned = args.x.is_aligned(16) && args.y.is_aligned(16);
  return aligned ? "" : "its tensors must start at multiples of 16 bytes";
}

WARPATH_RUNG(Packed, launch, .supports = fits, .race = true);

}  // namespace
}  // namespace warpath::grayscale
