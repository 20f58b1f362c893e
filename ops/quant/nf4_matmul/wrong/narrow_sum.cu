// The sum is kept in the type of x: in 16 bits it stops growing, or drifts.
#include "ops/quant/nf4_matmul/problem.cuh"

namespace warpath::nf4_matmul {
namespace {

template <class T>
__global__ void narrow_sum(const Problem<T> p) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= p.rows * p.n) return;
  const std::int64_t row = i / p.n, j = i % p.n;
  T sum = from_float<T>(0.0f);
  for (std::int64_t l = 0; l < p.k; ++l) {
    const std::int64_t at = j * p.k + l;
    const unsigned byte = p.codes[at / 2], code = l % 2 ? byte & 15 : byte >> 4;
    const float w = p.values.at[code] * p.factor(at / nf4::block);
    sum = from_float<T>(to_float(sum) + to_float(p.x[row * p.k + l]) * w);
  }
  p.put(to_float(sum), row, j);
}

void launch(const Args& args, cudaStream_t stream) {
  check_sizes(args);
  if (args.y.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    narrow_sum<T><<<grid_x(args.y.size(), 128), 128, 0, stream>>>(problem_of<T>(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::nf4_matmul
