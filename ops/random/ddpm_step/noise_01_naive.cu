// One thread, one element: its noise, and the mixture with the image.
//
// Limit: the arithmetic. Of every call of the generator three numbers of four are thrown away, and each
// thread computes the two roots of its sample.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/random/ddpm_step/schedule.cuh"

namespace warpath::ddpm_step {
namespace {

template <class T>
__global__ void naive(const T* x0, const float* alpha_bar, Indices t, T* noised, T* eps,
                      Normals<std::uint64_t> normals, std::int64_t size, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Mix mix = Mix::of(alpha_bar[t[i / size]]);
  float z[4];
  normals.four<false>(z, i / 4);
  noised[i] = from_float<T>(mix(to_float(x0[i]), z[i % 4]));
  eps[i] = from_float<T>(z[i % 4]);
}

void launch(const Noise& args, cudaStream_t stream) {
  const std::int64_t n = args.x0.size();
  const Normals<std::uint64_t> normals = {std::uint64_t(args.seed), std::uint64_t(args.offset)};
  if (n == 0) return;
  dispatch_float(args.x0.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    naive<T><<<grid_x(n, threads), threads, 0, stream>>>(
        args.x0.as<T>(), args.alpha_bar.as<float>(), Indices::of(args.t), args.noised.as<T>(),
        args.eps.as<T>(), normals, args.x0.shape[1], n);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Noise, launch);

}  // namespace
}  // namespace warpath::ddpm_step
