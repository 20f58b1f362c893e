// Four floats per access, both into shared memory and out of it.
//
// What changed: global memory is read by 16-byte loads, and a's tile is transposed on the way to
// shared memory, so that the eight elements a thread needs lie beside each other there and come by
// two 16-byte loads instead of eight. Four load instructions now feed 64 multiplications. An
// operand that lies the other way round in memory is handled as the other one is: the four forms
// differ in which of the two tiles is transposed. Rows that are not aligned to 16 bytes are read
// element by element.
// Limit: bank conflicts. Threads side by side read vectors 32 bytes apart, so eight of them touch
// half of the banks twice.
#include "ops/matmul/matmul/vector_tile.cuh"

namespace warpath::matmul {
namespace {

constexpr int side = 128, depth = 8;  // a block's part of d, and its step along k
constexpr int each = 8;               // a thread's part of d is 8x8
constexpr int across = side / each;
constexpr int threads = across * across;

template <bool AK, bool BK>
__global__ void __launch_bounds__(threads) vectorised(Problem<float> p, Vectors vectors) {
  __shared__ Slab<side, depth> a, b;
  const Place tile = place_of<side, side>(blockIdx.x, p.m, p.n);
  const auto from_a = operand_a<AK>(p, vectors, tile.batch);
  const auto from_b = operand_b<BK>(p, vectors, tile.batch);
  const int i0 = threadIdx.x / across * each, j0 = threadIdx.x % across * each;
  Carried<side, depth, threads, AK> next_a;
  Carried<side, depth, threads, BK> next_b;
  float sum[each][each] = {};
  for (std::int64_t l0 = 0; l0 < p.k; l0 += depth) {
    next_a.fetch(from_a, tile.row, l0);
    next_b.fetch(from_b, tile.col, l0);
    next_a.put(a);
    next_b.put(b);
    __syncthreads();
#pragma unroll
    for (int l = 0; l < depth; ++l) {
      const Vector<float, 4> of_a[2] = {a.four(l, i0), a.four(l, i0 + 4)};
      const Vector<float, 4> of_b[2] = {b.four(l, j0), b.four(l, j0 + 4)};
#pragma unroll
      for (int i = 0; i < each; ++i)
#pragma unroll
        for (int j = 0; j < each; ++j) sum[i][j] += of_a[i / 4].at[i % 4] * of_b[j / 4].at[j % 4];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < each; ++i)
#pragma unroll
    for (int j = 0; j < each; j += 4) {
      const float four[4] = {sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]};
      p.out.put(four, tile.batch, tile.row + i0 + i, tile.col + j0 + j);
    }
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.d.size() == 0) return;
  with_form(args, [&](auto a, auto b) {
    vectorised<a.value, b.value><<<tiles_of(args, side, side), threads, 0, stream>>>(
        problem_of<float>(args), vectors_of(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch, .supports = f32_only);

}  // namespace
}  // namespace warpath::matmul
