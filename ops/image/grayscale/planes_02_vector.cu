// Sixteen bytes from each plane, two times per thread.
//
// What changed: a thread loads a vector from each of the three planes, and its second three before it uses the
// first: 96 bytes in flight. The image is the block's y, so nothing is divided. Planes that are no multiple of 16
// bytes are left to rung 01.
// Limit: the memory.
#include <cuda_runtime.h>

#include "core/host/launch.h"
#include "core/thread/vector.cuh"
#include "ops/image/grayscale/grayscale.h"
#include "ops/image/grayscale/grey.cuh"

namespace warpath::grayscale {
namespace {

constexpr int threads = 256, steps = 2;

template <class T>
__global__ void __launch_bounds__(threads)
    vectorised(const T* x, T* y, std::int64_t batch, std::int64_t channels, std::int64_t plane) {
  constexpr int E = lanes_of_16<T>;
  const std::int64_t first = (std::int64_t(blockIdx.x) * steps * threads + threadIdx.x) * E;
  for (std::int64_t image = blockIdx.y; image < batch; image += gridDim.y) {
    const T* const from = x + image * channels * plane;
    Vector<T, E> in[steps][3];
#pragma unroll
    for (int s = 0; s < steps; ++s) {
      const std::int64_t i = first + s * threads * E;
#pragma unroll
      for (int c = 0; c < 3; ++c) in[s][c] = load_kept<E>(from + c * plane + i, i < plane);
    }
#pragma unroll
    for (int s = 0; s < steps; ++s) {
      const std::int64_t i = first + s * threads * E;
      if (i >= plane) break;
      Vector<T, E> out;
#pragma unroll
      for (int k = 0; k < E; ++k) out.at[k] = grey(in[s][0].at[k], in[s][1].at[k], in[s][2].at[k]);
      store<E>(y + image * plane + i, out);
    }
  }
}

void launch(const Planes& args, cudaStream_t stream) {
  const std::int64_t plane = args.x.shape[2] * args.x.shape[3], batch = args.x.shape[0];
  check_channels(args.x.shape[1]);
  if (args.y.size() == 0) return;
  dispatch_image(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const dim3 grid(grid_x(plane, threads * steps * lanes_of_16<T>),
                    static_cast<unsigned>(std::min<std::int64_t>(batch, 65535)));
    vectorised<T><<<grid, threads, 0, stream>>>(args.x.as<T>(), args.y.as<T>(), batch,
                                                args.x.shape[1], plane);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string fits(const Planes& args) {
  const std::int64_t plane = args.x.shape[2] * args.x.shape[3];
  const bool aligned = args.x.is_aligned(16) && args.y.is_aligned(16);
  return aligned && plane * size_of(args.x.dtype) % 16 == 0
             ? ""
             : "every plane must start at a multiple of 16 bytes";
}

WARPATH_RUNG(Planes, launch, .supports = fits);

}  // namespace
}  // namespace warpath::grayscale
