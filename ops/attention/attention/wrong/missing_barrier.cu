// The next tile of keys is written while slow warps still use the last one.
#include "ops/attention/attention/problem.cuh"

namespace warpath::attention {
namespace {

constexpr int height = 64, keys = 16, most = 256;

template <class T>
__global__ void __launch_bounds__(height) missing_barrier(Problem<T> p, int per_head) {
  __shared__ T k_tile[keys][most], v_tile[keys][most];
  const Tile tile = tile_of<height>(p, int(blockIdx.x), per_head);
  const Sequence& at = tile.s;
  if (tile.row >= at.queries) return;
  const Visible visible = p.visible(at);
  const Keys all = visible.of_rows(tile.row, min(tile.row + height, at.queries));
  const int query = tile.row + int(threadIdx.x), head = tile.head / p.group;
  const bool inside = query < at.queries;
  const Keys seen = inside ? visible.of(query) : Keys{0, 0};
  const std::int64_t row = p.row(at, tile.head, query);
  float o[most];
  for (int d = 0; d < p.value_dim; ++d) o[d] = 0.0f;
  softmax::Stat stat = softmax::nothing();
  for (int j0 = all.first; j0 < all.last; j0 += keys) {
    // Missing here: __syncthreads();
    for (int j = 0; j < keys && j0 + j < at.keys; ++j) {
      const T* const k = p.k.at(at.batch, at.first_key + j0 + j, head);
      const T* const v = p.v.at(at.batch, at.first_key + j0 + j, head);
      for (int d = threadIdx.x; d < p.dim; d += height) k_tile[j][d] = k[d];
      for (int d = threadIdx.x; d < p.value_dim; d += height) v_tile[j][d] = v[d];
    }
    __syncthreads();
    for (int j = max(j0, seen.first); j < min(j0 + keys, seen.last); ++j) {
      float product = 0;
      for (int d = 0; d < p.dim; ++d)
        product += to_float(p.q.at(at.batch, at.first_query + query, tile.head)[d]) *
                   to_float(k_tile[j - j0][d]);
      const float s = p.logit(product);
      const softmax::Stat next = softmax::include(stat, s);
      const float shrink = softmax::exp_from(stat.max, next.max);
      const float weight = p.dropout.apply(softmax::exp_from(s, next.max), row, j);
      for (int d = 0; d < p.value_dim; ++d)
        o[d] = o[d] * shrink + weight * to_float(v_tile[j - j0][d]);
      stat = next;
    }
  }
  if (!inside) return;
  const float inverse = stat.sum > 0.0f ? 1.0f / stat.sum : 0.0f;
  T* const to = p.o.at(at.batch, at.first_query + query, tile.head);
  for (int d = 0; d < p.value_dim; ++d) to[d] = from_float<T>(o[d] * inverse);
  p.lse[row] = softmax::lse_of(stat);
}

void launch(const Forward& args, cudaStream_t stream) {
  if (args.lse.size() == 0) return;
  dispatch_float(args.q.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    missing_barrier<T><<<tiles_of<height>(args), height, 0, stream>>>(problem_of<T>(args),
                                                                      tiles_per_head<height>(args));
  });
}

WARPATH_RUNG(Forward, launch, .supports = up_to_256, .race = true);

}  // namespace
}  // namespace warpath::attention
