// A thread makes eight elements of a column of d: what it reads of b it uses eight times.
//
// What changed: eight sums in registers. For each l a thread loads one element of b and eight of a,
// nine loads for eight products where there were sixteen. All threads of a warp want the same
// element of a, so that load is one broadcast.
// Limit: still more than one load from shared memory per product.
#include "ops/matmul/matmul/scalar_tile.cuh"

namespace warpath::matmul {
namespace {

constexpr int down = 64, right = 64, depth = 8;  // a block's part of d, and its step along k
constexpr int each = 8;                          // elements of d a thread makes, below each other
constexpr int threads = down * right / each;     // 512

template <class T>
__global__ void __launch_bounds__(threads) registers_1d(Problem<T> p) {
  __shared__ float a[down][depth], b[depth][right];
  const Place tile = place_of<down, right>(blockIdx.x, p.m, p.n);
  const int i = threadIdx.x / right * each, j = threadIdx.x % right;
  float sum[each] = {};
  for (std::int64_t l0 = 0; l0 < p.k; l0 += depth) {
    load_tile<down, depth, threads>(a, p.a, tile.batch, tile.row, l0, p.m, p.k);
    load_tile<depth, right, threads>(b, p.b, tile.batch, l0, tile.col, p.k, p.n);
    __syncthreads();
#pragma unroll
    for (int l = 0; l < depth; ++l) {
      const float of_b = b[l][j];
#pragma unroll
      for (int e = 0; e < each; ++e) sum[e] += a[i + e][l] * of_b;
    }
    __syncthreads();
  }
#pragma unroll
  for (int e = 0; e < each; ++e) p.out.put(sum[e], tile.batch, tile.row + i + e, tile.col + j);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.d.size() == 0) return;
  dispatch_float(args.a.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    registers_1d<T><<<tiles_of(args, down, right), threads, 0, stream>>>(problem_of<T>(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch, .supports = any);

}  // namespace
}  // namespace warpath::matmul
