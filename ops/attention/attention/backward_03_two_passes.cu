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
    keys_outside(BackwardProblem<T> problem, int per_head, const float* deltas) {
  extern __shared__ float memory[];
  const KeyTile tile = key_tile_of<side>(problem, int(blockIdx.x), per_head);
  if (tile.first >= tile.s.keys) return;
  const BackwardTiles<T> tiles(problem, memory);
  sum_over_queries<Most>(tiles, tile, deltas, [](int, int) {});
}

template <class T, int Most>
__global__ void __launch_bounds__(tile_threads)
    queries_outside(BackwardProblem<T> problem, int per_head, const float* deltas) {
  extern __shared__ float memory[];
  const auto [s, head, i0] = tile_of<side>(problem, int(blockIdx.x), per_head);
  if (i0 >= s.queries) return;
  const BackwardTiles<T> tiles(problem, memory);
  const int end = min(i0 + side, s.queries);
  const Keys keys = problem.visible(s).of_rows(i0, end);
  RowSum<Most> dq;
  tiles.fetch_queries(s, i0, head, deltas);
  for (int j0 = keys.first; j0 < keys.last; j0 += side) {
    tiles.fetch_keys(s, j0, head / problem.group);
    __syncthreads();
    tiles.pairs(s, i0, j0, head);
    __syncthreads();
    dq.add(tiles.ds, 1, side + 1, tiles.k, tiles.pitch, problem.dim);
    __syncthreads();  // the tiles are read no more
  }
  const int i = i0 + dq.row();
  if (i >= end) return;
  T* const to = problem.dq.at(s.batch, s.first_query + i, head);
  dq.each(problem.dim, [&](int c, float sum) { to[c] = from_float<T>(problem.scale * sum); });
}

std::int64_t delta_bytes(const Backward& args) {
  return args.lse.bytes();
}

void launch(const Backward& args, cudaStream_t stream) {
  if (args.dq.size() + args.dk.size() + args.dv.size() == 0) return;
  dispatch_float(args.q.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto problem = problem_of<T>(args);
    float* const delta = static_cast<float*>(args.scratch.data);
    const auto run = [&](auto kernel, unsigned blocks, int per_head, std::size_t bytes) {
      kernel<<<blocks, tile_threads, allow_shared(kernel, bytes), stream>>>(problem, per_head,
                                                                            delta);
    };
    launch_delta(args, problem, delta, stream);
    launch_keys(args, [&](auto most, unsigned blocks, int per_head, std::size_t bytes) {
      run(keys_outside<T, most.value>, blocks, per_head, bytes);
    });
    if (args.dq.size() > 0)
      with_room(args, [&](auto most) {
        const Forward forward = forward_of(args);
        run(queries_outside<T, most.value>, tiles_of<side>(forward), tiles_per_head<side>(forward),
            tile_bytes(problem.dim, problem.value_dim));
      });
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Backward, launch, .supports = tiles_fit, .scratch = delta_bytes);

}  // namespace
}  // namespace warpath::attention
