// One thread, one element of y: it walks along a row of w.
//
// Limit: scattered accesses. Threads side by side read rows of w that lie k bytes apart.
#include "ops/quant/int8_matvec/problem.cuh"

namespace warpath::int8_matvec {
namespace {

template <class T>
__global__ void naive(Problem<T> p) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= p.rows * p.n) return;
  const std::int64_t row = i / p.n, j = i % p.n;
  float sum = 0;
  for (std::int64_t l = 0; l < p.k; ++l)
    sum += to_float(p.x[row * p.k + l]) * float(int(p.codes[j * p.k + l]) - 128);
  p.put(sum, row, j);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    naive<T><<<grid_x(args.y.size(), 128), 128, 0, stream>>>(problem_of<T>(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::int8_matvec
