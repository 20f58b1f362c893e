// No barrier at the end of a tile: a warp that is ahead fetches the next queries while others still read these.
#include "ops/attention/attention/backward_tiles.cuh"
#include "ops/attention/attention/wrong/backward_rows.cuh"

namespace warpath::attention {
namespace {

template <class T>
__global__ void __launch_bounds__(tile_threads)
    keys_outside(BackwardProblem<T> problem, int per_head, const float* deltas) {
  extern __shared__ float memory[];
  const KeyTile tile = key_tile_of<side>(problem, int(blockIdx.x), per_head);
  const Sequence& s = tile.s;
  if (tile.first >= s.keys) return;
  const BackwardTiles<T> tiles(problem, memory);
  const int j0 = tile.first, end = min(j0 + side, s.keys);
  const Keys rows = problem.visible(s).queries_of(j0, end);
  RowSum<most> dk, dv;
  tiles.fetch_keys(s, j0, tile.head);
  for (int g = 0; g < problem.group; ++g)
    for (int i0 = rows.first; i0 < rows.last; i0 += side) {
      const int head = tile.head * problem.group + g;
      tiles.fetch_queries(s, i0, head, deltas);
      __syncthreads();
      tiles.pairs(s, i0, j0, head);
      __syncthreads();
      dk.add(tiles.ds, side + 1, 1, tiles.q, tiles.pitch, problem.dim);
      dv.add(tiles.p, side + 1, 1, tiles.d_o, tiles.value_pitch, problem.value_dim);
    }
  const int j = j0 + dk.row();
  if (j >= end) return;
  T* const to_dk = problem.dk.at(s.batch, s.first_key + j, tile.head);
  T* const to_dv = problem.dv.at(s.batch, s.first_key + j, tile.head);
  dk.each(problem.dim, [&](int c, float sum) { to_dk[c] = from_float<T>(problem.scale * sum); });
  dv.each(problem.value_dim, [&](int c, float sum) { to_dv[c] = from_float<T>(sum); });
}

std::int64_t delta_bytes(const Backward& args) {
  return args.lse.bytes();
}

void launch(const Backward& args, cudaStream_t stream) {
  launch_queries<RightPair>(args, stream);
  if (args.dk.size() + args.dv.size() == 0) return;
  dispatch_float(args.q.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto problem = problem_of<T>(args);
    float* const delta = static_cast<float*>(args.scratch.data);
    launch_delta(args, problem, delta, stream);
    const int bytes = allow_shared(keys_outside<T>, tile_bytes(problem.dim, problem.value_dim));
    keys_outside<T><<<grid_x(key_tiles_of<side>(args), 1), tile_threads, bytes, stream>>>(
        problem, key_tiles_per_head<side>(args), delta);
  });
}

WARPATH_RUNG(Backward, launch, .supports = tiles_fit, .scratch = delta_bytes, .race = true);

}  // namespace
}  // namespace warpath::attention
