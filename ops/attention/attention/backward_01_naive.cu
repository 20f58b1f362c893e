// One thread per row: a query's dq, or a key's dk and dv, by going through all rows it meets.
//
// The forward pass stored no probabilities, only the log of each row's sum, lse. That is enough:
// p = exp(s - lse) takes one more product q . k. With dp = do . v and delta = sum of do * o over the
// row, the gradient of a score is ds = p (dp - delta), and
//   dq[i] = scale * sum over j of ds[i][j] k[j]
//   dk[j] = scale * sum over i of ds[i][j] q[i]     dv[j] = sum over i of p[i][j] do[i]
// A thread owns the row that it sums up, over all query heads that share the key: nothing is added by
// two threads, and no two runs differ.
// Limit: every thread reads whole rows by itself, so a warp's loads touch 32 rows at a time, and the
// sums, as many as a head has dimensions, do not fit into its registers.
#include "ops/attention/attention/backward_problem.cuh"

namespace warpath::attention {
namespace {

constexpr int threads = 128, most = 256;  // dimensions of a head

template <class T>
__device__ float dot(const T* a, const T* b, int n) {
  float sum = 0;
  for (int c = 0; c < n; ++c) sum += to_float(a[c]) * to_float(b[c]);
  return sum;
}

// Row `row` of all sequences' queries, or keys; -1 past the last one.
template <class T>
__device__ SequenceTile row_of(const BackwardProblem<T>& problem, bool of_queries) {
  return problem.find(blockIdx.x * threads + threadIdx.x, 1, of_queries);
}

template <class T>
__global__ void sum_delta(BackwardProblem<T> problem, float* delta) {
  const SequenceTile at = row_of(problem, true);
  if (at.sequence < 0) return;
  const Sequence s = problem.sequence(at.sequence);
  const int h = blockIdx.y;
  delta[problem.row(s, h, at.first)] =
      dot(problem.d_o.at(s.batch, s.q0 + at.first, h), problem.o.at(s.batch, s.q0 + at.first, h),
          problem.value_dim);
}

template <class T>
__global__ void naive_queries(BackwardProblem<T> problem, const float* delta) {
  const SequenceTile at = row_of(problem, true);
  if (at.sequence < 0) return;
  const Sequence s = problem.sequence(at.sequence);
  const int i = at.first, h = blockIdx.y, kv_head = h / problem.group();
  const std::int64_t row = problem.row(s, h, i);
  const T* const q = problem.q.at(s.batch, s.q0 + i, h);
  const T* const d_o = problem.d_o.at(s.batch, s.q0 + i, h);
  float sum[most];
  for (int c = 0; c < problem.dim; ++c) sum[c] = 0;
  const Keys keys = s.visible.of(i);
  for (int j = keys.first; j < keys.last; ++j) {
    const T* const k = problem.k.at(s.batch, s.k0 + j, kv_head);
    const T* const v = problem.v.at(s.batch, s.k0 + j, kv_head);
    const Pair pair = pair_of(problem, dot(q, k, problem.dim), dot(d_o, v, problem.value_dim),
                              problem.lse[row], delta[row], row, j);
    for (int c = 0; c < problem.dim; ++c) sum[c] += pair.ds * to_float(k[c]);
  }
  T* const dq = problem.dq.at(s.batch, s.q0 + i, h);
  for (int c = 0; c < problem.dim; ++c) dq[c] = from_float<T>(problem.scale * sum[c]);
}

template <class T>
__global__ void naive_keys(BackwardProblem<T> problem, const float* delta) {
  const SequenceTile at = row_of(problem, false);
  if (at.sequence < 0) return;
  const Sequence s = problem.sequence(at.sequence);
  const int j = at.first, kv_head = blockIdx.y;
  const T* const k = problem.k.at(s.batch, s.k0 + j, kv_head);
  const T* const v = problem.v.at(s.batch, s.k0 + j, kv_head);
  float dk_sum[most], dv_sum[most];
  for (int c = 0; c < most; ++c) dk_sum[c] = dv_sum[c] = 0;
  const Keys rows = s.visible.queries_of(j, j + 1);
  for (int h = kv_head * problem.group(); h < (kv_head + 1) * problem.group(); ++h)
    for (int i = rows.first; i < rows.last; ++i) {
      const std::int64_t row = problem.row(s, h, i);
      const T* const q = problem.q.at(s.batch, s.q0 + i, h);
      const T* const d_o = problem.d_o.at(s.batch, s.q0 + i, h);
      const Pair pair = pair_of(problem, dot(q, k, problem.dim), dot(d_o, v, problem.value_dim),
                                problem.lse[row], delta[row], row, j);
      for (int c = 0; c < problem.dim; ++c) dk_sum[c] += pair.ds * to_float(q[c]);
      for (int c = 0; c < problem.value_dim; ++c) dv_sum[c] += pair.p * to_float(d_o[c]);
    }
  T* const dk = problem.dk.at(s.batch, s.k0 + j, kv_head);
  T* const dv = problem.dv.at(s.batch, s.k0 + j, kv_head);
  for (int c = 0; c < problem.dim; ++c) dk[c] = from_float<T>(problem.scale * dk_sum[c]);
  for (int c = 0; c < problem.value_dim; ++c) dv[c] = from_float<T>(dv_sum[c]);
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
    const dim3 by_query(grid_x(most_tiles(args, problem.queries, 1), threads), problem.heads);
    const dim3 by_key(grid_x(most_tiles(args, problem.keys, 1), threads), problem.kv_heads);
    if (args.lse.size() > 0) {
      sum_delta<<<by_query, threads, 0, stream>>>(problem, delta);
      naive_queries<<<by_query, threads, 0, stream>>>(problem, delta);
    }
    if (args.dk.size() + args.dv.size() > 0)
      naive_keys<<<by_key, threads, 0, stream>>>(problem, delta);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Backward, launch, .supports = rows_are_whole, .scratch = delta_bytes);

}  // namespace
}  // namespace warpath::attention
