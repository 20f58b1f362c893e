// A block brings a tile of a and a tile of b to shared memory and uses each element 32 times.
//
// What changed: the block walks along k in steps of 32. In each step its 1024 threads fetch 32x32
// elements of a and of b, one each, and then every thread makes 32 products from shared memory.
// Global memory is asked for 1/32 of what it was.
// Limit: shared memory. Each product still takes two loads from there, and a warp can start only
// one load per instruction: the FMA units wait.
#include "ops/matmul/matmul/scalar_tile.cuh"

namespace warpath::matmul {
namespace {

constexpr int side = 32;

template <class T>
__global__ void __launch_bounds__(side* side) shared_tile(Problem<T> p) {
  __shared__ float a[side][side], b[side][side];
  const Place tile = place_of<side, side>(blockIdx.x, p.m, p.n);
  const int i = threadIdx.x / side, j = threadIdx.x % side;
  float sum = 0;
  for (std::int64_t l0 = 0; l0 < p.k; l0 += side) {
    load_tile<side, side, side * side>(a, p.a, tile.batch, tile.row, l0, p.m, p.k);
    load_tile<side, side, side * side>(b, p.b, tile.batch, l0, tile.col, p.k, p.n);
    __syncthreads();
#pragma unroll
    for (int l = 0; l < side; ++l) sum += a[i][l] * b[l][j];
    __syncthreads();  // before the tiles are filled again
  }
  p.out.put(sum, tile.batch, tile.row + i, tile.col + j);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.d.size() == 0) return;
  dispatch_float(args.a.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    shared_tile<T><<<tiles_of(args, side, side), side * side, 0, stream>>>(problem_of<T>(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch, .supports = any);

}  // namespace
}  // namespace warpath::matmul
