// One warp per row: a lane has a key for the scores, and a few columns of o.
//
// What changed: 32 keys at a time, one per lane: their 32 scores are independent, and one maximum and one rescaling of o serve all of
// them. For the product with v the lanes turn: each holds every 32nd column of o, and the 32 probabilities are passed round by
// shuffles. A row's q and o are spread over 32 lanes, so nothing spills, whatever the head's size.
// Limit: every product still takes its operand from shared memory: one read for one FMA, since a warp has only one row to use it
// for.
#include "ops/attention/attention/problem.cuh"

namespace warpath::attention {
namespace {

constexpr int warps = 8;  // and rows of a block
constexpr int keys = 32;

template <class T, int D>
__global__ void __launch_bounds__(32 * warps) warp_row(Problem<T> p, int per_head) {
  __shared__ float q_rows[warps][D];
  __shared__ float tile_kv[keys][D + 1];  // lanes read down a column: an odd pitch, all banks
  const Tile tile = tile_of<warps>(p, int(blockIdx.x), per_head);
  const Sequence& at = tile.s;
  if (tile.row >= at.queries) return;
  const Visible visible = p.visible(at);
  const Keys all = visible.of_rows(tile.row, min(tile.row + warps, at.queries));
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, query = tile.row + warp;
  const bool inside = query < at.queries;
  const Keys seen = inside ? visible.of(query) : Keys{0, 0};
  const std::int64_t row = p.row(at, tile.head, query);

  for (int d = lane; d < D; d += 32)
    q_rows[warp][d] = inside && d < p.dim
                          ? to_float(p.q.at(at.batch, at.first_query + query, tile.head)[d])
                          : 0.0f;
  // Keys, then values, in the same memory.
  const auto fetch = [&](const Rows<const T>& from, int first, int dim) {
    __syncthreads();  // what was there is no longer needed
    for (int i = threadIdx.x; i < keys * D; i += 32 * warps) {
      const int j = first + i / D, d = i % D;
      const bool there = j < at.keys && d < dim;
      tile_kv[i / D][d] =
          there ? to_float(from.at(at.batch, at.first_key + j, tile.head / p.group)[d]) : 0.0f;
    }
    __syncthreads();
  };
  float o[D / 32] = {};
  softmax::Stat stat = softmax::nothing();
  for (int j0 = all.first; j0 < all.last; j0 += keys) {
    fetch(p.k, j0, p.dim);
    const int j = j0 + lane;
    float product = 0;
#pragma unroll 16
    for (int d = 0; d < D; ++d) product += q_rows[warp][d] * tile_kv[lane][d];
    const bool mine = seen.first <= j && j < seen.last;
    const float s = mine ? p.logit(product) : -INFINITY;
    const softmax::Stat here = softmax::warp_join(softmax::Stat{s, mine ? 1.0f : 0.0f});
    const softmax::Stat next = softmax::join(stat, here);
    const float shrink = softmax::exp_from(stat.max, next.max);
    const float weight = p.dropout.apply(softmax::exp_from(s, next.max), row, j);
#pragma unroll
    for (int c = 0; c < D / 32; ++c) o[c] *= shrink;
    fetch(p.v, j0, p.value_dim);
    for (int l = 0; l < keys; ++l) {
      const float w = __shfl_sync(full_mask, weight, l);
#pragma unroll
      for (int c = 0; c < D / 32; ++c) o[c] += w * tile_kv[l][c * 32 + lane];
    }
    stat = next;
  }
  if (!inside) return;
  const float inverse = stat.sum > 0.0f ? 1.0f / stat.sum : 0.0f;
  T* const to = p.o.at(at.batch, at.first_query + query, tile.head);
#pragma unroll
  for (int c = 0; c < D / 32; ++c)
    if (c * 32 + lane < p.value_dim) to[c * 32 + lane] = from_float<T>(o[c] * inverse);
  if (lane == 0) p.lse[row] = softmax::lse_of(stat);
}

void launch(const Forward& args, cudaStream_t stream) {
  if (args.lse.size() == 0) return;
  dispatch_float(args.q.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    with_dim<64, 128, 256>(args, [&](auto dim) {
      warp_row<T, dim.value><<<tiles_of<warps>(args), 32 * warps, 0, stream>>>(
          problem_of<T>(args), tiles_per_head<warps>(args));
    });
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch, .supports = up_to_256);

}  // namespace
}  // namespace warpath::attention
