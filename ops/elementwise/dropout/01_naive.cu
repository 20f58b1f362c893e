// One thread, one element: a random word decides whether it is kept.
//
// The element's index is the counter of a random generator that has no state, so no thread depends on
// another one. A call of the generator makes four words; this thread uses one of them.
// Limit: the generator, not the memory. Four neighbouring threads compute the same four words, and
// each throws three away.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/dropout/dropout.h"
#include "ops/elementwise/dropout/mask.cuh"

namespace warpath::dropout {
namespace {

template <class T>
__global__ void naive(const T* x, const T* residual, T* y, Mask<std::uint64_t> mask,
                      std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const PhiloxWords words = mask.words(i / 4);
  const float kept = mask.apply(to_float(x[i]), words.at[i % 4]);
  y[i] = from_float<T>(residual ? to_float(residual[i]) + kept : kept);
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t n = args.x.size();
  const auto mask = mask_of(args);
  if (n == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    naive<T><<<grid_x(n, threads), threads, 0, stream>>>(args.x.as<T>(), args.residual.as<T>(),
                                                         args.y.as<T>(), mask, n);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::dropout
