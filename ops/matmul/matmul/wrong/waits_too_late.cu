// Tiles come by cp.async, two stages, and the wait lets one group too many be on its way: the tile
// that is multiplied may not have arrived. On a GPU it mostly has.
#include "ops/matmul/matmul/async_slab.cuh"

namespace warpath::matmul {
namespace {

constexpr int side = 32, depth = 16, threads = 256;

template <bool AK, bool BK>
__global__ void __launch_bounds__(threads) waits_too_late(Problem<float> p, Vectors vectors) {
  __shared__ AsyncSlab<side, depth, threads> a[2], b[2];
  const Place tile = place_of<side, side>(blockIdx.x, p.m, p.n);
  const auto from_a = operand_a<AK>(p, vectors, tile.batch);
  const auto from_b = operand_b<BK>(p, vectors, tile.batch);
  const int i = threadIdx.x / 8, j = threadIdx.x % 8 * 4;
  const auto fetch = [&](std::int64_t l0, int slot) {
    a[slot].fetch(from_a, tile.row, l0);
    b[slot].fetch(from_b, tile.col, l0);
    ptx::copy_async_commit();
  };
  fetch(0, 0);
  float sum[4] = {};
  int now = 0;
  for (std::int64_t l0 = 0; l0 < p.k; l0 += depth, now ^= 1) {
    fetch(l0 + depth, now ^ 1);
    ptx::copy_async_wait<2>();  // one group is newer than this step's: 1
    __syncthreads();
    for (int l = 0; l < depth; ++l)
      for (int e = 0; e < 4; ++e) sum[e] += a[now].at[l][i] * b[now].at[l][j + e];
    __syncthreads();
  }
  ptx::copy_async_wait<0>();
  p.out.put(sum, tile.batch, tile.row + i, tile.col + j);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.d.size() == 0) return;
  with_form(args, [&](auto a, auto b) {
    waits_too_late<a.value, b.value><<<tiles_of(args, side, side), threads, 0, stream>>>(
        problem_of<float>(args), vectors_of(args));
  });
}

WARPATH_RUNG(Args, launch, .supports = f32_only, .race = true);

}  // namespace
}  // namespace warpath::matmul
