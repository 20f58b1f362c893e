// Tiles in shared memory: a block makes 64 x 64 scores, a thread 4 x 4 of them.
//
// What changed: 16 elements of 64 queries and of 64 keys are loaded to shared memory, each once per block, along the heads, where
// neighbouring threads read neighbouring elements. A thread keeps 16 sums in registers: four queries and four keys that it
// reads from shared memory make 16 multiplications. The tiles are stored transposed, so that those four lie side by side.
// Limit: FMAs on plain cores, and the scores themselves: queries times keys of them are written for each head, and read again by
// the softmax. Attention in one kernel never writes them.
#include "ops/attention/qk/problem.cuh"

namespace warpath::qk {
namespace {

constexpr int side = 64, depth = 16, each = 4, threads = side / each * (side / each);

// read(row, element) for all of a slab: neighbouring threads read neighbouring elements of a row.
template <class F>
__device__ __forceinline__ void fetch(float (&tile)[depth][side + each], F read) {
#pragma unroll
  for (int e = threadIdx.x; e < side * depth; e += threads)
    tile[e % depth][e / depth] = read(e / depth, e % depth);
}

template <class T>
__global__ void __launch_bounds__(threads) tiled(Problem<T> p, int tiles_down, int tiles_across) {
  __shared__ float q_tile[depth][side + each], k_tile[depth][side + each];
  const int j0 = int(blockIdx.x % tiles_across) * side;
  const int i0 = int(blockIdx.x / tiles_across % tiles_down) * side;
  const std::int64_t row = blockIdx.x / tiles_across / tiles_down, batch = row / p.heads;
  const int head = int(row % p.heads);
  const int down = int(threadIdx.x) / (side / each) * each;
  const int across = int(threadIdx.x) % (side / each) * each;
  float sum[each][each] = {};
  for (int d0 = 0; d0 < p.dim; d0 += depth) {
    fetch(q_tile, [&](int r, int d) {
      return i0 + r < p.queries && d0 + d < p.dim ? to_float(p.query(batch, head, i0 + r)[d0 + d])
                                                  : 0.0f;
    });
    fetch(k_tile, [&](int r, int d) {
      return j0 + r < p.keys && d0 + d < p.dim ? to_float(p.key(batch, head, j0 + r)[d0 + d])
                                               : 0.0f;
    });
    __syncthreads();
#pragma unroll
    for (int d = 0; d < depth; ++d)
#pragma unroll
      for (int a = 0; a < each; ++a)
#pragma unroll
        for (int b = 0; b < each; ++b) sum[a][b] += q_tile[d][down + a] * k_tile[d][across + b];
    __syncthreads();
  }
#pragma unroll
  for (int a = 0; a < each; ++a)
#pragma unroll
    for (int b = 0; b < each; ++b)
      if (i0 + down + a < p.queries && j0 + across + b < p.keys)
        p.put(batch, head, i0 + down + a, j0 + across + b, sum[a][b]);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.scores.size() == 0) return;
  dispatch_float(args.q.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Problem<T> p = problem_of<T>(args);
    const int down = ceil_div(p.queries, side), across = ceil_div(p.keys, side);
    const std::int64_t blocks = args.q.shape[0] * p.heads * down * across;
    tiled<T><<<grid_x(blocks, 1), threads, 0, stream>>>(p, down, across);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::qk
