// One thread, one element of y: it walks along a row of w.
//
// Limit: scattered accesses. Threads side by side read rows of w that lie k elements apart: each
// load brings a 32-byte sector for every thread and uses one element of it. The caches keep some of
// the rest until it is needed.
#include "ops/matmul/matvec/problem.cuh"

namespace warpath::matvec {
namespace {

template <class T>
__global__ void naive(Problem<T> p) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= p.rows * p.n) return;
  const std::int64_t row = i / p.n, j = i % p.n;
  float sum = 0;
  for (std::int64_t l = 0; l < p.k; ++l)
    sum += to_float(p.x[row * p.k + l]) * to_float(p.w[j * p.k + l]);
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
}  // namespace warpath::matvec
