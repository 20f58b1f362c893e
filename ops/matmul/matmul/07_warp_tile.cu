// A warp makes a compact part of d: its threads share what they read, without bank conflicts.
//
// What changed: the 256 threads are cut into eight warps of 64x32 elements of d each, and the 8x8
// elements of a thread into four squares of 4x4, 32 rows and 16 columns apart. The eight threads of
// a row of the warp then read eight different vectors of a that lie side by side, 128 bytes, every
// bank once; the others are the same addresses again and come with them. And the next tiles are on
// their way to registers while the last ones are multiplied.
// Limit: the way through registers. It takes 8 of them and instructions of its own, and one tile
// ahead is all that it can be.
#include "ops/matmul/matmul/vector_tile.cuh"

namespace warpath::matmul {
namespace {

constexpr int side = 128, depth = 8;                // a block's part of d, and its step along k
constexpr int warp_down = 64, warp_right = 32;      // a warp's
constexpr int threads_down = 8, threads_right = 4;  // of a warp
constexpr int half_down = 4 * threads_down, half_right = 4 * threads_right;
constexpr int threads = 32 * (side / warp_down) * (side / warp_right);

template <bool AK, bool BK>
__global__ void __launch_bounds__(threads, 2) warp_tile(Problem<float> p, Vectors vectors) {
  __shared__ Slab<side, depth> a[2], b[2];
  const Place tile = place_of<side, side>(blockIdx.x, p.m, p.n);
  const auto from_a = operand_a<AK>(p, vectors, tile.batch);
  const auto from_b = operand_b<BK>(p, vectors, tile.batch);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int i0 = warp / (side / warp_right) * warp_down + lane / threads_right * 4;
  const int j0 = warp % (side / warp_right) * warp_right + lane % threads_right * 4;
  Carried<side, depth, threads, AK> next_a;
  Carried<side, depth, threads, BK> next_b;
  float sum[8][8] = {};

  next_a.fetch(from_a, tile.row, 0);
  next_b.fetch(from_b, tile.col, 0);
  int now = 0;
  for (std::int64_t l0 = 0; l0 < p.k; l0 += depth, now ^= 1) {
    next_a.put(a[now]);
    next_b.put(b[now]);
    // One barrier a step: who writes these tiles again has passed the barrier of the step between.
    __syncthreads();
    next_a.fetch(from_a, tile.row, l0 + depth);
    next_b.fetch(from_b, tile.col, l0 + depth);
#pragma unroll
    for (int l = 0; l < depth; ++l) {
      const Vector<float, 4> of_a[2] = {a[now].four(l, i0), a[now].four(l, i0 + half_down)};
      const Vector<float, 4> of_b[2] = {b[now].four(l, j0), b[now].four(l, j0 + half_right)};
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) sum[i][j] += of_a[i / 4].at[i % 4] * of_b[j / 4].at[j % 4];
    }
  }
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int j = 0; j < 8; j += 4) {
      const float four[4] = {sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]};
      p.out.put(four, tile.batch, tile.row + i0 + i / 4 * half_down + i % 4,
                tile.col + j0 + j / 4 * half_right);
    }
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.d.size() == 0) return;
  with_form(args, [&](auto a, auto b) {
    warp_tile<a.value, b.value><<<tiles_of(args, side, side), threads, 0, stream>>>(
        problem_of<float>(args), vectors_of(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch, .supports = f32_only);

}  // namespace
}  // namespace warpath::matmul
