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

template <class T>
__global__ void sum_delta(BackwardProblem<T> problem, float* delta, std::int64_t rows) {
  const std::int64_t row = std::int64_t(blockIdx.x) * threads + threadIdx.x;
  if (row >= rows) return;
  const auto [s, h, i] = query_of(problem, row);
  delta[row] = dot(problem.d_o.at(s.batch, s.first_query + i, h),
                   problem.o.at(s.batch, s.first_query + i, h), problem.value_dim);
}

template <class T>
__global__ void naive_queries(BackwardProblem<T> problem, const float* delta, std::int64_t rows) {
  const std::int64_t row = std::int64_t(blockIdx.x) * threads + threadIdx.x;
  if (row >= rows) return;
  const auto [s, h, i] = query_of(problem, row);
  const int kv_head = h / problem.group;
  const T* const q = problem.q.at(s.batch, s.first_query + i, h);
  const T* const d_o = problem.d_o.at(s.batch, s.first_query + i, h);
  float sum[most];
  for (int c = 0; c < problem.dim; ++c) sum[c] = 0;
  const Keys keys = problem.visible(s).of(i);
  for (int j = keys.first; j < keys.last; ++j) {
    const T* const k = problem.k.at(s.batch, s.first_key + j, kv_head);
    const T* const v = problem.v.at(s.batch, s.first_key + j, kv_head);
    const Pair pair = pair_of(problem, dot(q, k, problem.dim), dot(d_o, v, problem.value_dim),
                              problem.lse[row], delta[row], row, j);
    for (int c = 0; c < problem.dim; ++c) sum[c] += pair.ds * to_float(k[c]);
  }
  T* const dq = problem.dq.at(s.batch, s.first_query + i, h);
  for (int c = 0; c < problem.dim; ++c) dq[c] = from_float<T>(problem.scale * sum[c]);
}

template <class T>
__global__ void naive_keys(BackwardProblem<T> problem, const float* delta, int per_head,
                           std::int64_t all) {
  const std::int64_t number = std::int64_t(blockIdx.x) * threads + threadIdx.x;
  if (number >= all) return;
  const auto [s, sequence, kv_head, j] = key_tile_of<1>(problem, int(number), per_head);
  if (j >= s.keys) return;
  const T* const k = problem.k.at(s.batch, s.first_key + j, kv_head);
  const T* const v = problem.v.at(s.batch, s.first_key + j, kv_head);
  float dk_sum[most], dv_sum[most];
  for (int c = 0; c < most; ++c) dk_sum[c] = dv_sum[c] = 0;
  const Keys rows = problem.visible(s).queries_of(j, j + 1);
  for (int h = kv_head * problem.group; h < (kv_head + 1) * problem.group; ++h)
    for (int i = rows.first; i < rows.last; ++i) {
      const std::int64_t row = problem.row(s, h, i);
      const T* const q = problem.q.at(s.batch, s.first_query + i, h);
      const T* const d_o = problem.d_o.at(s.batch, s.first_query + i, h);
      const Pair pair = pair_of(problem, dot(q, k, problem.dim), dot(d_o, v, problem.value_dim),
                                problem.lse[row], delta[row], row, j);
      for (int c = 0; c < problem.dim; ++c) dk_sum[c] += pair.ds * to_float(q[c]);
      for (int c = 0; c < problem.value_dim; ++c) dv_sum[c] += pair.p * to_float(d_o[c]);
    }
  T* const dk = problem.dk.at(s.batch, s.first_key + j, kv_head);
  T* const dv = problem.dv.at(s.batch, s.first_key + j, kv_head);
  for (int c = 0; c < problem.dim; ++c) dk[c] = from_float<T>(problem.scale * dk_sum[c]);
  for (int c = 0; c < problem.value_dim; ++c) dv[c] = from_float<T>(dv_sum[c]);
}

std::int64_t delta_bytes(const Backward& args) {
  return args.lse.bytes();
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t queries = args.lse.size();
  const std::int64_t keys = args.dk.size() + args.dv.size() > 0 ? key_tiles_of<1>(args) : 0;
  if (queries + keys == 0) return;
  dispatch_float(args.q.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto problem = problem_of<T>(args);
    float* const delta = static_cast<float*>(args.scratch.data);
    if (queries > 0) {
      const unsigned blocks = grid_x(queries, threads);
      sum_delta<<<blocks, threads, 0, stream>>>(problem, delta, queries);
      naive_queries<<<blocks, threads, 0, stream>>>(problem, delta, queries);
    }
    if (keys > 0)
      naive_keys<<<grid_x(keys, threads), threads, 0, stream>>>(problem, delta,
                                                                key_tiles_per_head<1>(args), keys);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Backward, launch, .supports = up_to_256, .scratch = delta_bytes);

}  // namespace
}  // namespace warpath::attention
