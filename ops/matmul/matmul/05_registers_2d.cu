// A thread makes a square of 8x8 elements of d: sixteen loads for sixty-four products.
//
// What changed: eight elements of a and eight of b in registers give all 64 products between them.
// A block of 256 threads makes 128x128 elements of d, so global memory is asked for half as much as
// before as well. This rung takes every layout and every type, also those that the later ones
// cannot.
// Limit: the loads themselves. They come one element at a time, the eight of a lie eight apart in
// shared memory, and no thread multiplies while a tile is fetched.
#include "ops/matmul/matmul/scalar_tile.cuh"

namespace warpath::matmul {
namespace {

constexpr int side = 128, depth = 8;  // a block's part of d, and its step along k
constexpr int each = 8;               // a thread's part of d is 8x8
constexpr int across = side / each;   // threads beside each other
constexpr int threads = across * across;

template <class T>
__global__ void __launch_bounds__(threads) registers_2d(Problem<T> p) {
  __shared__ float a[side][depth], b[depth][side];
  const Place tile = place_of<side, side>(blockIdx.x, p.m, p.n);
  const int i0 = threadIdx.x / across * each, j0 = threadIdx.x % across * each;
  float sum[each][each] = {};
  for (std::int64_t l0 = 0; l0 < p.k; l0 += depth) {
    load_tile<side, depth, threads>(a, p.a, tile.batch, tile.row, l0, p.m, p.k);
    load_tile<depth, side, threads>(b, p.b, tile.batch, l0, tile.col, p.k, p.n);
    __syncthreads();
#pragma unroll
    for (int l = 0; l < depth; ++l) {
      float of_a[each], of_b[each];
#pragma unroll
      for (int e = 0; e < each; ++e) {
        of_a[e] = a[i0 + e][l];
        of_b[e] = b[l][j0 + e];
      }
#pragma unroll
      for (int i = 0; i < each; ++i)
#pragma unroll
        for (int j = 0; j < each; ++j) sum[i][j] += of_a[i] * of_b[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < each; ++i)
#pragma unroll
    for (int j = 0; j < each; ++j)
      p.out.put(sum[i][j], tile.batch, tile.row + i0 + i, tile.col + j0 + j);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.d.size() == 0) return;
  dispatch_float(args.a.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    registers_2d<T><<<tiles_of(args, side, side), threads, 0, stream>>>(problem_of<T>(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch, .supports = any);

}  // namespace
}  // namespace warpath::matmul
