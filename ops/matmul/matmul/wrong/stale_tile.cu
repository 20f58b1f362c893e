// The tiles of the next step are written while slow threads still multiply those of this one.
#include "ops/matmul/matmul/scalar_tile.cuh"

namespace warpath::matmul {
namespace {

constexpr int side = 32;

template <class T>
__global__ void __launch_bounds__(side* side) stale_tile(Problem<T> p) {
  __shared__ float a[side][side], b[side][side];
  const Place tile = place_of<side, side>(blockIdx.x, p.m, p.n);
  const int i = threadIdx.x / side, j = threadIdx.x % side;
  float sum = 0;
  for (std::int64_t l0 = 0; l0 < p.k; l0 += side) {
    load_tile<side, side, side * side>(a, p.a, tile.batch, tile.row, l0, p.m, p.k);
    load_tile<side, side, side * side>(b, p.b, tile.batch, l0, tile.col, p.k, p.n);
    __syncthreads();
    for (int l = 0; l < side; ++l) sum += a[i][l] * b[l][j];
    // Missing here: __syncthreads();
  }
  p.out.put(sum, tile.batch, tile.row + i, tile.col + j);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.d.size() == 0) return;
  dispatch_float(args.a.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    stale_tile<T><<<tiles_of(args, side, side), side * side, 0, stream>>>(problem_of<T>(args));
  });
}

WARPATH_RUNG(Args, launch, .supports = any, .race = true);

}  // namespace
}  // namespace warpath::matmul
