// One warp, one element of y: a block of 64 weights is one byte per lane, and its maximum is applied once.
//
// What changed: 32 neighbouring bytes come in one access. The sum over a block is taken of x times the table's values, and
// multiplied by the block's factor afterwards. The table is in shared memory: sixteen words in sixteen banks, so lanes never
// wait for each other.
// Limit: a lane has one byte in flight, and w is read again for each row of x.
#include "core/block/reduce.cuh"
#include "ops/quant/nf4_matmul/problem.cuh"

namespace warpath::nf4_matmul {
namespace {

constexpr int warps = 8;  // of a block of threads

template <class T>
__global__ void __launch_bounds__(32 * warps) warp_each(const Problem<T> p) {
  __shared__ float values[16];
  if (threadIdx.x < 16) values[threadIdx.x] = p.values.at[threadIdx.x];
  __syncthreads();
  const std::int64_t i = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32;
  if (i >= p.rows * p.n) return;
  const std::int64_t row = i / p.n, j = i % p.n;
  const int lane = threadIdx.x % 32;
  const T* x = p.x + row * p.k + 2 * lane;
  float sum = 0;
  for (std::int64_t b = j * p.blocks; b < (j + 1) * p.blocks; ++b, x += nf4::block) {
    const unsigned byte = p.codes[b * (nf4::block / 2) + lane];
    const float pair = to_float(x[0]) * values[byte >> 4] + to_float(x[1]) * values[byte & 15];
    sum += pair * p.factor(b);
  }
  sum = warp_reduce(sum, Sum{});
  if (lane == 0) p.put(sum, row, j);
}

void launch(const Args& args, cudaStream_t stream) {
  check_sizes(args);
  if (args.y.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    warp_each<T><<<grid_x(args.y.size(), warps), 32 * warps, 0, stream>>>(problem_of<T>(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::nf4_matmul
