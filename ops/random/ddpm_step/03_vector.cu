// A block stays inside one sample; 16 bytes per access, the functions by the special function unit.
//
// What changed: a thread has two vectors of x and two of eps in flight while it computes the factors,
// which wait for the index and then for the table. No division finds the sample: it is the block's y. Keys
// come from the host; the logarithm, the root, the sine and the cosine of the noise are one instruction
// each, as in rung 04 of `noise`. A step without noise skips the generator, the same way for the
// whole block.
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
    vectorised(const T* x, const T* eps, T* y, const __grid_constant__ Schedule schedule,
               const __grid_constant__ Normals<PhiloxKeys> normals, std::int64_t batch,
               std::int64_t size) {
  const std::int64_t first =
      (std::int64_t(blockIdx.x) * steps * block_threads + threadIdx.x) * Width;
  for (std::int64_t sample = blockIdx.y; sample < batch; sample += gridDim.y) {
    Vector<T, Width> in[steps], predicted[steps];
#pragma unroll
    for (int s = 0; s < steps; ++s) {
      const std::int64_t j = first + s * block_threads * Width;
      in[s] = load_kept<Width>(x + sample * size + j, j < size);
      predicted[s] = load_kept<Width>(eps + sample * size + j, j < size);
    }
    const Factors f = Factors::of(schedule, sample);
#pragma unroll
    for (int s = 0; s < steps; ++s) {
      const std::int64_t j = first + s * block_threads * Width, i = sample * size + j;
      if (j >= size) break;
#pragma unroll
      for (int g = 0; g < Width; g += 4) {
        float z[4] = {};
        if (f.sigma > 0) normals.four<true>(z, (i + g) / 4);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          T& element = in[s].at[g + k];
          const float mean = f.mean(to_float(element), to_float(predicted[s].at[g + k]));
          element = from_float<T>(mean + f.sigma * z[k]);
        }
      }
      store<Width>(y + i, in[s]);
    }
  }
}

void launch(const Step& args, cudaStream_t stream) {
  const Schedule schedule = Schedule::of(args);
  const Normals<PhiloxKeys> normals = {PhiloxKeys::of(std::uint64_t(args.seed)),
                                       std::uint64_t(args.offset)};
  if (args.x.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int width = lanes_of_16<T>;
    const dim3 grid = sample_grid<dim3>(args.x, block_threads * steps * width);
    vectorised<T, width><<<grid, block_threads, 0, stream>>>(args.x.as<T>(), args.eps.as<T>(),
                                                             args.y.as<T>(), schedule, normals,
                                                             args.x.shape[0], args.x.shape[1]);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string fits(const Step& args) {
  const std::int64_t width = 16 / size_of(args.x.dtype);
  const bool whole = args.x.shape[1] % width == 0;
  const bool aligned = args.x.is_aligned(16) && args.eps.is_aligned(16) && args.y.is_aligned(16);
  return whole && aligned ? "" : "every sample must start at a multiple of 16 bytes";
}

WARPATH_RUNG(Step, launch, .supports = fits);

}  // namespace
}  // namespace warpath::ddpm_step
