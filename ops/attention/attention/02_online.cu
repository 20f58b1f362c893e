// One thread per query row, one pass over the keys: no score is ever stored.
//
// What changed: a row's running maximum and sum (softmax_stat.cuh) go along with a running output, and all three are scaled
// down whenever a larger score comes. So the softmax needs no second pass over the scores, and they need no memory: one
// kernel reads q, k and v and writes o. This is what makes tiles of keys possible at all.
// Limit: a thread keeps its row of o, up to 256 floats, in local memory, reads its row of q again for every key, and every thread fetches all
// keys and values for itself. Neighbouring threads read q a whole row apart.
#include "ops/attention/attention/problem.cuh"

namespace warpath::attention {
namespace {

constexpr int threads = 128;

template <class T>
__global__ void __launch_bounds__(threads) online(Problem<T> p, std::int64_t rows) {
  const std::int64_t row = std::int64_t(blockIdx.x) * threads + threadIdx.x;
  if (row >= rows) return;
  const Query at = query_of(p, row);
  const Keys seen = p.visible(at.s).of(at.query);
  const T* const q = p.q.at(at.s.batch, at.s.first_query + at.query, at.head);
  float o[256];
  for (int d = 0; d < p.value_dim; ++d) o[d] = 0.0f;
  softmax::Stat stat = softmax::nothing();
  for (int j = seen.first; j < seen.last; ++j) {
    const T* const k = p.k.at(at.s.batch, at.s.first_key + j, at.head / p.group);
    const T* const v = p.v.at(at.s.batch, at.s.first_key + j, at.head / p.group);
    float product = 0;
    for (int d = 0; d < p.dim; ++d) product += to_float(q[d]) * to_float(k[d]);
    const float s = p.logit(product);
    const softmax::Stat next = softmax::include(stat, s);
    const float shrink = softmax::exp_from(stat.max, next.max);
    const float weight = p.dropout.apply(softmax::exp_from(s, next.max), row, j);
    for (int d = 0; d < p.value_dim; ++d) o[d] = o[d] * shrink + weight * to_float(v[d]);
    stat = next;
  }
  const float inverse = stat.sum > 0.0f ? 1.0f / stat.sum : 0.0f;
  T* const to = p.o.at(at.s.batch, at.s.first_query + at.query, at.head);
  for (int d = 0; d < p.value_dim; ++d) to[d] = from_float<T>(o[d] * inverse);
  p.lse[row] = softmax::lse_of(stat);
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.lse.size();
  if (rows == 0) return;
  dispatch_float(args.q.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    online<T><<<grid_x(rows, threads), threads, 0, stream>>>(problem_of<T>(args), rows);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch, .supports = up_to_256);

}  // namespace
}  // namespace warpath::attention
