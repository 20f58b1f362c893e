// Lanes stop where a whole round of the warp does not fit any more: right when k is a multiple of
// 32.
#include "core/block/reduce.cuh"
#include "ops/matmul/matvec/problem.cuh"

namespace warpath::matvec {
namespace {

template <class T>
__global__ void whole_warps_only(Problem<T> p) {
  const std::int64_t i = std::int64_t(blockIdx.x) * 8 + threadIdx.x / 32;
  if (i >= p.rows * p.n) return;
  const std::int64_t row = i / p.n, j = i % p.n;
  float sum = 0;
  for (std::int64_t l0 = 0; l0 + 32 <= p.k; l0 += 32) {
    const std::int64_t l = l0 + threadIdx.x % 32;
    sum += to_float(p.x[row * p.k + l]) * to_float(p.w[j * p.k + l]);
  }
  sum = warp_reduce(sum, Sum{});
  if (threadIdx.x % 32 == 0) p.put(sum, row, j);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    whole_warps_only<T><<<grid_x(args.y.size(), 8), 256, 0, stream>>>(problem_of<T>(args));
  });
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::matvec
