// Tiles are written to shared memory with their chunks permuted and read as if they were not: right
// only in the rows whose permutation is none.
#include "ops/matmul/matmul/swizzled.cuh"

namespace warpath::matmul {
namespace {

constexpr int side = 32;

// One warp, 32x32 elements of d. b is brought transposed by hand, a chunk at a time.
template <class T>
__global__ void one_sided_swizzle(Problem<T> p, Vectors vectors) {
  using Tile = Swizzled<T, side, true>;
  __shared__ Tile a;
  __shared__ float b[Tile::depth][side];
  const Place tile = place_of<side, side>(blockIdx.x, p.m, p.n);
  const auto from_a = operand_a<true>(p, vectors, tile.batch);
  float sum[side] = {};
  for (std::int64_t l0 = 0; l0 < p.k; l0 += Tile::depth) {
    a.template fetch<side>(from_a, tile.row, l0);
    for (int l = 0; l < Tile::depth; ++l) {
      const bool inside = l0 + l < p.k && tile.col + threadIdx.x < p.n;
      b[l][threadIdx.x] =
          inside ? to_float(p.b.at(tile.batch, l0 + l, tile.col + threadIdx.x)) : 0.0f;
    }
    __syncthreads();
    for (int l = 0; l < Tile::depth; ++l)
      for (int i = 0; i < side; ++i)  // not at[place(i, l / E)]
        sum[i] +=
            to_float(a.at[i * Tile::chunks + l / Tile::E].at[l % Tile::E]) * b[l][threadIdx.x];
    __syncthreads();
  }
  for (int i = 0; i < side; ++i)
    p.out.put(sum[i], tile.batch, tile.row + i, tile.col + threadIdx.x);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.d.size() == 0) return;
  dispatch_float(args.a.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    one_sided_swizzle<T>
        <<<tiles_of(args, side, side), side, 0, stream>>>(problem_of<T>(args), vectors_of(args));
  });
}

std::string fits(const Args& args) {
  if (!a_along_k(args)) return "a in rows only";
  return any(args);
}

WARPATH_RUNG(Args, launch, .supports = fits);

}  // namespace
}  // namespace warpath::matmul
