// One thread, one element: the mask is made again from the same seed and offset.
//
// Nothing was kept for the backward pass: a stored mask would be written once and read once, and would
// take a byte per element meanwhile.
// Limit: the generator. Four neighbouring threads compute the same four words.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/dropout/dropout.h"
#include "ops/elementwise/dropout/mask.cuh"

namespace warpath::dropout {
namespace {

template <class T>
__global__ void naive(const T* dy, T* dx, Mask<std::uint64_t> mask, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const PhiloxWords words = mask.words(i / 4);
  dx[i] = from_float<T>(mask.apply(to_float(dy[i]), words.at[i % 4]));
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t n = args.dy.size();
  const auto mask = mask_of(args);
  if (n == 0) return;
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    naive<T><<<grid_x(n, threads), threads, 0, stream>>>(args.dy.as<T>(), args.dx.as<T>(), mask, n);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::dropout
