// The scale is taken by the row of x, not by the row of w: right for one element of y.
#include "ops/quant/int8_matvec/problem.cuh"

namespace warpath::int8_matvec {
namespace {

template <class T>
__global__ void scale_of_x(Problem<T> p) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= p.rows * p.n) return;
  const std::int64_t row = i / p.n, j = i % p.n;
  float sum = 0;
  for (std::int64_t l = 0; l < p.k; ++l)
    sum += to_float(p.x[row * p.k + l]) * float(int(p.codes[j * p.k + l]) - 128);
  p.put(sum / p.scales[j] * p.scales[row % p.n], row, j);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    scale_of_x<T><<<grid_x(args.y.size(), 128), 128, 0, stream>>>(problem_of<T>(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::int8_matvec
