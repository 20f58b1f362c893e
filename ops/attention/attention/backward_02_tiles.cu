// Tiles in shared memory: a block per 32 keys visits the queries, and adds to their dq by atomics.
//
// What changed: 32 rows of q, do, k and v lie in shared memory and make 1024 pairs, so each row is
// read from global memory once per tile, not once per pair. A pair's p and ds are computed once for
// all three gradients: 5 products per pair of tiles (q k^T, do v^T, p^T do, ds^T q, ds k). The block
// owns dk and dv of its keys, in registers. The dq of a query gets a part from every block of keys:
// they add in float, to scratch memory, and a last kernel rounds the sums once.
// Limit: multiplications on the plain cores, two loads from shared memory for nearly each. The order of
// the atomic additions differs from run to run, and so do the last bits of dq.
#include "ops/attention/attention/backward_tiles.cuh"

namespace warpath::attention {
namespace {

template <class T, int Most>
__global__ void __launch_bounds__(tile_threads)
    keys_outside(BackwardProblem<T> problem, int per_head, const float* deltas, float* dq_sums) {
  extern __shared__ float memory[];
  const KeyTile tile = key_tile_of<side>(problem, int(blockIdx.x), per_head);
  const Sequence& s = tile.s;
  if (tile.first >= s.keys) return;
  const BackwardTiles<T> tiles(problem, memory);
  sum_over_queries<Most>(tiles, tile, deltas, [&](int head, int i0) {
    RowSum<Most> dq;
    dq.add(tiles.ds, 1, side + 1, tiles.k, tiles.pitch, problem.dim);
    const int i = i0 + dq.row();
    if (i >= s.queries) return;
    // As dq lies: (batch, queries, heads, dim).
    const std::int64_t row =
        (std::int64_t(s.batch) * problem.sequences.queries + s.first_query + i) * problem.heads;
    float* const to = dq_sums + (row + head) * problem.dim;
    dq.each(problem.dim, [&](int c, float sum) { atomicAdd(to + c, sum); });
  });
}

template <class T>
__global__ void round_dq(const float* sums, T* dq, float scale, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) dq[i] = from_float<T>(scale * sums[i]);
}

std::int64_t scratch_bytes(const Backward& args) {
  return args.lse.bytes() + args.dq.size() * std::int64_t(sizeof(float));
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t n = args.dq.size();
  if (n + args.dk.size() + args.dv.size() == 0) return;
  dispatch_float(args.q.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto problem = problem_of<T>(args);
    float* const delta = static_cast<float*>(args.scratch.data);
    float* const sums = delta + args.lse.size();
    launch_delta(args, problem, delta, stream);
    if (n > 0) CUDA_CHECK(cudaMemsetAsync(sums, 0, std::size_t(n) * sizeof(float), stream));
    launch_keys(args, [&](auto most, unsigned blocks, int per_head, std::size_t bytes) {
      const auto kernel = keys_outside<T, most.value>;
      kernel<<<blocks, tile_threads, allow_shared(kernel, bytes), stream>>>(problem, per_head,
                                                                            delta, sums);
    });
    if (n > 0)
      round_dq<<<grid_x(n, 256), 256, 0, stream>>>(sums, args.dq.as<T>(), problem.scale, n);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Backward, launch, .supports = tiles_fit, .scratch = scratch_bytes,
             .deterministic = false);

}  // namespace
}  // namespace warpath::attention
