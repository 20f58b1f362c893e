// Keys and values through shared memory: a block fetches each once for all its rows.
//
// What changed: 64 threads, one row each, belong to the same head. They fetch 16 keys and 16 values together, neighbours
// reading neighbours, and all of them use each element from shared memory, where it is broadcast. Each key is read from global memory
// once per 64 rows instead of once per row. The row's q is in registers, where a compiler that knows the head's size keeps it,
// and so is o.
// Limit: one key after the other: the products of a row form one chain of additions, then an exponential, then o is scaled
// again. For every multiplication a number is read from shared memory. Wide heads spill.
#include "ops/attention/attention/problem.cuh"

namespace warpath::attention {
namespace {

constexpr int height = 64;  // rows and threads of a block
constexpr int keys = 16;

// D: dim and value_dim, rounded up.
template <class T, int D>
__global__ void __launch_bounds__(height) shared(Problem<T> p, int per_head) {
  __shared__ float k_tile[keys][D], v_tile[keys][D];
  const Tile tile = tile_of<height>(p, int(blockIdx.x), per_head);
  const Sequence& at = tile.s;
  if (tile.row >= at.queries) return;
  const Visible visible = p.visible(at);
  const Keys all = visible.of_rows(tile.row, min(tile.row + height, at.queries));
  const int query = tile.row + int(threadIdx.x);
  const bool inside = query < at.queries;
  const Keys seen = inside ? visible.of(query) : Keys{0, 0};
  const std::int64_t row = p.row(at, tile.head, query);

  float q[D], o[D];
  const T* const from = p.q.at(at.batch, at.first_query + query, tile.head);
#pragma unroll
  for (int d = 0; d < D; ++d) {
    q[d] = inside && d < p.dim ? to_float(from[d]) : 0.0f;
    o[d] = 0.0f;
  }
  softmax::Stat stat = softmax::nothing();
  for (int j0 = all.first; j0 < all.last; j0 += keys) {
    __syncthreads();  // the last tile is no longer needed
    for (int i = threadIdx.x; i < keys * D; i += height) {
      const int j = i / D, d = i % D;
      const bool there = j0 + j < at.keys;
      const int head = tile.head / p.group;
      k_tile[j][d] =
          there && d < p.dim ? to_float(p.k.at(at.batch, at.first_key + j0 + j, head)[d]) : 0.0f;
      v_tile[j][d] = there && d < p.value_dim
                         ? to_float(p.v.at(at.batch, at.first_key + j0 + j, head)[d])
                         : 0.0f;
    }
    __syncthreads();
    const int begin = max(j0, seen.first), end = min(j0 + keys, seen.last);
    for (int j = begin; j < end; ++j) {
      float product = 0;
#pragma unroll
      for (int d = 0; d < D; ++d) product += q[d] * k_tile[j - j0][d];
      const float s = p.logit(product);
      const softmax::Stat next = softmax::include(stat, s);
      const float shrink = softmax::exp_from(stat.max, next.max);
      const float weight = p.dropout.apply(softmax::exp_from(s, next.max), row, j);
#pragma unroll
      for (int d = 0; d < D; ++d) o[d] = o[d] * shrink + weight * v_tile[j - j0][d];
      stat = next;
    }
  }
  if (!inside) return;
  const float inverse = stat.sum > 0.0f ? 1.0f / stat.sum : 0.0f;
  T* const to = p.o.at(at.batch, at.first_query + query, tile.head);
#pragma unroll
  for (int d = 0; d < D; ++d)
    if (d < p.value_dim) to[d] = from_float<T>(o[d] * inverse);
  p.lse[row] = softmax::lse_of(stat);
}

void launch(const Forward& args, cudaStream_t stream) {
  if (args.lse.size() == 0) return;
  dispatch_float(args.q.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    with_dim<64, 128, 256>(args, [&](auto dim) {
      shared<T, dim.value><<<tiles_of<height>(args), height, 0, stream>>>(
          problem_of<T>(args), tiles_per_head<height>(args));
    });
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch, .supports = up_to_256);

}  // namespace
}  // namespace warpath::attention
