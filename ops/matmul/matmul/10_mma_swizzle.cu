// The instruction under WMMA, with its operands placed by hand: mma.sync, ldmatrix and a swizzle.
//
// What changed: which register holds which element is known, so fragments come by ldmatrix, four
// 8x8 matrices per instruction, from tiles whose 16-byte chunks are permuted such that there are no
// bank conflicts (swizzled.cuh). An operand that lies across k is transposed by ldmatrix on its
// way. A warp makes 64x32 elements of d: 16 multiplications for six loads of fragments. Sums go
// from registers to d, not through shared memory.
// Limit: nothing is fetched while the warps multiply, and no warp multiplies during a fetch.
#include "ops/matmul/matmul/swizzled.cuh"

namespace warpath::matmul {
namespace {

constexpr int side = 128;                       // of a block's part of d
constexpr int warp_down = 64, warp_right = 32;  // a warp's
constexpr int threads = 32 * (side / warp_down) * (side / warp_right);

template <class T, bool AK, bool BK>
__global__ void __launch_bounds__(threads, 2) mma_swizzle(Problem<T> p, Vectors vectors) {
  using TileA = Swizzled<T, side, AK>;
  using TileB = Swizzled<T, side, BK>;
  using Sum = WarpSum<T, warp_down / 16, warp_right / 8>;
  __shared__ TileA a;
  __shared__ TileB b;
  const Place tile = place_of<side, side>(blockIdx.x, p.m, p.n);
  const auto from_a = operand_a<AK>(p, vectors, tile.batch);
  const auto from_b = operand_b<BK>(p, vectors, tile.batch);
  const int warp = threadIdx.x / 32;
  const int i0 = warp / (side / warp_right) * warp_down;
  const int j0 = warp % (side / warp_right) * warp_right;

  const std::uint32_t lane_a = TileA::lane_a(i0), lane_b = TileB::lane_b(j0);
  Sum sum;
  for (std::int64_t l0 = 0; l0 < p.k; l0 += TileA::depth) {
    a.template fetch<threads>(from_a, tile.row, l0);
    b.template fetch<threads>(from_b, tile.col, l0);
    __syncthreads();
#pragma unroll
    for (int l = 0; l < TileA::depth; l += TileA::step) {
      typename Sum::Fragments f;
      f.load(a, b, lane_a, lane_b, l);
      sum.add(f);
    }
    __syncthreads();
  }
  sum.put(p.out, tile.batch, tile.row + i0, tile.col + j0);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.d.size() == 0) return;
  dispatch_float(args.a.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    with_form(args, [&](auto a, auto b) {
      mma_swizzle<T, a.value, b.value><<<tiles_of(args, side, side), threads, 0, stream>>>(
          problem_of<T>(args), vectors_of(args));
    });
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch, .supports = tensor_cores);

}  // namespace
}  // namespace warpath::matmul
