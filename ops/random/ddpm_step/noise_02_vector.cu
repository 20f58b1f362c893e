// A block stays inside one sample; 16 bytes per access, the functions by the special function unit.
//
// What changed: a thread makes whole groups of four numbers and uses them all. Its loads are in flight
// while the generator runs, which needs nothing from memory. The sample is the block's y, and the two
// roots are computed once for all of a thread's elements.
// Limit: in 16 bits the arithmetic of the noise as much as the memory.
#include <cuda_runtime.h>

#include "core/host/dispatch.cuh"
#include "core/thread/convert.cuh"
#include "core/thread/vector.cuh"
#include "ops/random/ddpm_step/grid.h"
#include "ops/random/ddpm_step/schedule.cuh"

namespace warpath::ddpm_step {
namespace {

constexpr int steps = 2;

template <class T, int Width>
__global__ void __launch_bounds__(block_threads)
    vectorised(const T* x0, const float* alpha_bar, Indices t, T* noised, T* eps,
               const __grid_constant__ Normals<PhiloxKeys> normals, std::int64_t batch,
               std::int64_t size) {
  const std::int64_t first =
      (std::int64_t(blockIdx.x) * steps * block_threads + threadIdx.x) * Width;
  for (std::int64_t sample = blockIdx.y; sample < batch; sample += gridDim.y) {
    Vector<T, Width> in[steps];
#pragma unroll
    for (int s = 0; s < steps; ++s) {
      const std::int64_t j = first + s * block_threads * Width;
      in[s] = load_kept<Width>(x0 + sample * size + j, j < size);
    }
    const Mix mix = Mix::of(alpha_bar[t[sample]]);
#pragma unroll
    for (int s = 0; s < steps; ++s) {
      const std::int64_t j = first + s * block_threads * Width, i = sample * size + j;
      if (j >= size) break;
      Vector<T, Width> drawn;
#pragma unroll
      for (int g = 0; g < Width; g += 4) {
        float z[4];
        normals.four<true>(z, (i + g) / 4);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          drawn.at[g + k] = from_float<T>(z[k]);
          in[s].at[g + k] = from_float<T>(mix(to_float(in[s].at[g + k]), z[k]));
        }
      }
      store<Width>(noised + i, in[s]);
      store<Width>(eps + i, drawn);
    }
  }
}

void launch(const Noise& args, cudaStream_t stream) {
  const Normals<PhiloxKeys> normals = {PhiloxKeys::of(std::uint64_t(args.seed)),
                                       std::uint64_t(args.offset)};
  if (args.x0.size() == 0) return;
  dispatch_float(args.x0.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int width = lanes_of_16<T>;
    const dim3 grid = sample_grid<dim3>(args.x0, block_threads * steps * width);
    vectorised<T, width><<<grid, block_threads, 0, stream>>>(
        args.x0.as<T>(), args.alpha_bar.as<float>(), Indices::of(args.t), args.noised.as<T>(),
        args.eps.as<T>(), normals, args.x0.shape[0], args.x0.shape[1]);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string fits(const Noise& args) {
  const std::int64_t width = 16 / size_of(args.x0.dtype);
  const bool whole = args.x0.shape[1] % width == 0;
  const bool aligned =
      args.x0.is_aligned(16) && args.noised.is_aligned(16) && args.eps.is_aligned(16);
  return whole && aligned ? "" : "every sample must start at a multiple of 16 bytes";
}

WARPATH_RUNG(Noise, launch, .supports = fits);

}  // namespace
}  // namespace warpath::ddpm_step
