// One thread, one element.
//
// The element's index is the counter of a generator that has no state, so no thread depends on another
// one. A call of it makes four words, a pair of words makes two normal numbers; this thread keeps one.
// Limit: the arithmetic. Four neighbouring threads compute the same four numbers, and each throws three
// away.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/random/noise/draw.cuh"

namespace warpath::noise {
namespace {

template <class T>
__global__ void naive(T* y, Draw<std::uint64_t> draw, Distribution distribution, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float four[4];
  draw_four<T>(four, draw, distribution, i / 4);
  y[i] = from_float<T>(four[i % 4]);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t n = args.y.size();
  const auto draw = draw_of(args);
  if (n == 0) return;
  dispatch_float(args.y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    naive<T>
        <<<grid_x(n, threads), threads, 0, stream>>>(args.y.as<T>(), draw, args.distribution, n);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::noise
