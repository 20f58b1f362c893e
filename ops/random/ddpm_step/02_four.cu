// One thread, four elements: all numbers of a call are used, the factors of a sample serve four.
//
// What changed: a quarter of the generator's calls and of the factors is left. A group of four may cross
// from one sample to the next; the factors are then computed again. A step without noise, which most of
// DDIM's are, skips the generator.
// Limit: the accesses, four elements apart from thread to thread, and a division of 64 bits per thread to
// find its sample.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/random/ddpm_step/schedule.cuh"

namespace warpath::ddpm_step {
namespace {

template <class T>
__global__ void four(const T* x, const T* eps, T* y, Schedule schedule,
                     Normals<std::uint64_t> normals, std::int64_t size, std::int64_t n) {
  const std::int64_t group = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (group * 4 >= n) return;
  std::int64_t sample = group * 4 / size;
  Factors f = Factors::of(schedule, sample);
  float z[4] = {};
  bool drawn = false;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const std::int64_t i = group * 4 + k;
    if (i >= n) return;
    if (i >= (sample + 1) * size) f = Factors::of(schedule, ++sample);
    if (f.sigma > 0 && !drawn) {
      normals.four<false>(z, group);
      drawn = true;
    }
    y[i] = from_float<T>(f.mean(to_float(x[i]), to_float(eps[i])) + f.sigma * z[k]);
  }
}

void launch(const Step& args, cudaStream_t stream) {
  const std::int64_t n = args.x.size();
  const Schedule schedule = Schedule::of(args);
  const Normals<std::uint64_t> normals = {std::uint64_t(args.seed), std::uint64_t(args.offset)};
  if (n == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    four<T><<<grid_x(n, 4 * threads), threads, 0, stream>>>(
        args.x.as<T>(), args.eps.as<T>(), args.y.as<T>(), schedule, normals, args.x.shape[1], n);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Step, launch);

}  // namespace
}  // namespace warpath::ddpm_step
