// The time of the first sample is taken for the whole batch: right in sampling, wrong in training.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/random/ddpm_step/schedule.cuh"

namespace warpath::ddpm_step {
namespace {

template <class T>
__global__ void one_time_for_all(const T* x, const T* eps, T* y, Schedule schedule,
                                 Normals<std::uint64_t> normals, std::int64_t size,
                                 std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Factors f = Factors::of(schedule, 0);
  float z[4];
  normals.four<false>(z, i / 4);
  y[i] = from_float<T>(f.mean(to_float(x[i]), to_float(eps[i])) + f.sigma * z[i % 4]);
}

void launch(const Step& args, cudaStream_t stream) {
  const std::int64_t n = args.x.size();
  const Schedule schedule = Schedule::of(args);
  const Normals<std::uint64_t> normals = {std::uint64_t(args.seed), std::uint64_t(args.offset)};
  if (n == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    one_time_for_all<T><<<grid_x(n, threads), threads, 0, stream>>>(
        args.x.as<T>(), args.eps.as<T>(), args.y.as<T>(), schedule, normals, args.x.shape[1], n);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Step, launch);

}  // namespace
}  // namespace warpath::ddpm_step
