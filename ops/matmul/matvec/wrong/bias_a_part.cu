// Four warps share a row of w, and each adds the bias to its own part of the sum: it counts four
// times.
#include "core/block/reduce.cuh"
#include "ops/matmul/matvec/problem.cuh"

namespace warpath::matvec {
namespace {

template <class T>
__global__ void bias_a_part(Problem<T> p) {
  __shared__ float part[4];
  const std::int64_t row = blockIdx.x / p.n, j = blockIdx.x % p.n;
  float sum = 0;
  for (std::int64_t l = threadIdx.x; l < p.k; l += 128)
    sum += to_float(p.x[row * p.k + l]) * to_float(p.w[j * p.k + l]);
  sum = warp_reduce(sum, Sum{});
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum + (p.bias ? to_float(p.bias[j]) : 0.0f);
  __syncthreads();
  if (threadIdx.x > 0) return;
  p.y[row * p.n + j] = from_float<T>(part[0] + part[1] + part[2] + part[3]);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    bias_a_part<T><<<grid_x(args.y.size(), 1), 128, 0, stream>>>(problem_of<T>(args));
  });
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::matvec
