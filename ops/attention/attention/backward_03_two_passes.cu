// The same bits in every run: dq has a pass of its own, with the queries outside.
//
// What changed: nothing is added by two blocks. One kernel has a block per 32 keys that visits the
// queries and owns dk and dv; the other has a block per 32 queries that visits the keys and owns dq.
// No scratch memory for sums, no atomics, no kernel that rounds them.
// The price: both passes compute the pairs, so q k^T and do v^T are made twice: 7 products instead of 5.
// Limit: as before, the plain cores and the loads from shared memory.
#include "ops/attention/attention/backward_tiles.cuh"

namespace warpath::attention {
namespace {

template <class T, int Most>
__global__ void __launch_bounds__(tile_threads)
    keys_outside(BackwardProblem<T> problem, const float* deltas) {
  extern __shared__ float memory[];
  const SequenceTile at = problem.find(blockIdx.x, side, false);
  if (at.sequence < 0) return;
  const BackwardTiles<T> tiles(problem, memory);
  sum_over_queries<Most>(tiles, problem.sequence(at.sequence), at.first, blockIdx.y, deltas,
                         [](int, int) {});
}

template <class T, int Most>
__global__ void __launch_bounds__(tile_threads)
    queries_outside(BackwardProblem<T> problem, const float* deltas) {
  extern __shared__ float memory[];
  const SequenceTile at = problem.find(blockIdx.x, side, true);
  if (at.sequence < 0) return;
  const Sequence s = problem.sequence(at.sequence);
  const BackwardTiles<T> tiles(problem, memory);
  const int i0 = at.first, end = min(i0 + side, s.visible.queries), head = blockIdx.y;
  const Keys keys = s.visible.of_rows(i0, end);
  RowSum<Most> dq;
  tiles.fetch_queries(s, i0, head, deltas);
  for (int j0 = keys.first; j0 < keys.last; j0 += side) {
    tiles.fetch_keys(s, j0, head / problem.group());
    __syncthreads();
    tiles.pairs(s, i0, j0, head);
    __syncthreads();
    dq.add(tiles.ds, 1, side + 1, tiles.k, tiles.pitch, problem.dim);
    __syncthreads();  // the tiles are read no more
  }
  const int i = i0 + dq.row();
  if (i >= end) return;
  T* const to = problem.dq.at(s.batch, s.q0 + i, head);
  dq.each(problem.dim, [&](int c, float sum) { to[c] = from_float<T>(problem.scale * sum); });
}

std::int64_t delta_bytes(const Backward& args) {
  return args.lse.bytes();
}

void launch(const Backward& args, cudaStream_t stream) {
  clear_outside(args, stream);
  dispatch_float(args.q.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto problem = problem_of<T>(args);
    float* const delta = static_cast<float*>(args.scratch.data);
    launch_delta(args, problem, delta, stream);
    with_room(args, [&](auto most) {
      const auto run = [&](auto kernel, int rows, int heads) {
        const dim3 grid(grid_x(most_tiles(args, rows, side), 1), heads);
        const int bytes = allow_shared(kernel, tile_bytes(problem.dim, problem.value_dim));
        kernel<<<grid, tile_threads, bytes, stream>>>(problem, delta);
      };
      if (args.dk.size() + args.dv.size() > 0)
        run(keys_outside<T, most.value>, problem.keys, problem.kv_heads);
      if (args.dq.size() > 0) run(queries_outside<T, most.value>, problem.queries, problem.heads);
    });
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Backward, launch, .supports = tiles_fit, .scratch = delta_bytes);

}  // namespace
}  // namespace warpath::attention
