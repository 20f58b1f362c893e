// The sum is kept in the type of x: in 16 bits it stops growing, or drifts.
#include "ops/matmul/matvec/problem.cuh"

namespace warpath::matvec {
namespace {

template <class T>
__global__ void narrow_sum(Problem<T> p) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= p.rows * p.n) return;
  const std::int64_t row = i / p.n, j = i % p.n;
  T sum = from_float<T>(0.0f);
  for (std::int64_t l = 0; l < p.k; ++l)
    sum = from_float<T>(to_float(sum) + to_float(p.x[row * p.k + l]) * to_float(p.w[j * p.k + l]));
  p.put(to_float(sum), row, j);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    narrow_sum<T><<<grid_x(args.y.size(), 128), 128, 0, stream>>>(problem_of<T>(args));
  });
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::matvec
