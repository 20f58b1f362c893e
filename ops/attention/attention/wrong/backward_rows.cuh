// One thread per row, as rung 01 has it, with what one pair gives left to the wrong kernel.
#pragma once
#include "ops/attention/attention/backward_problem.cuh"

namespace warpath::attention {
namespace {

// What a pair gives where nothing is wrong. `seen`: whether the query sees the key.
struct RightPair {
  static constexpr bool stores_each_head = false;

  template <class T>
  static __device__ Pair pair(const BackwardProblem<T>& problem, float dot, float dp, float lse,
                              float delta, std::int64_t row, int key, bool seen) {
    return seen ? pair_of(problem, dot, dp, lse, delta, row, key) : Pair{0, 0};
  }
};

constexpr int row_threads = 64, most = 256;

template <class T>
__device__ float dot(const T* a, const T* b, int n) {
  float sum = 0;
  for (int c = 0; c < n; ++c) sum += to_float(a[c]) * to_float(b[c]);
  return sum;
}

// Query i of head h and key j.
template <class Way, class T>
__device__ Pair pair_at(const BackwardProblem<T>& problem, const Sequence& s, int h, int i, int j) {
  const T* const d_o = problem.d_o.at(s.batch, s.first_query + i, h);
  const T* const q = problem.q.at(s.batch, s.first_query + i, h);
  const T* const k = problem.k.at(s.batch, s.first_key + j, h / problem.group);
  const T* const v = problem.v.at(s.batch, s.first_key + j, h / problem.group);
  const T* const o = problem.o.at(s.batch, s.first_query + i, h);
  const std::int64_t row = problem.row(s, h, i);
  const Keys keys = problem.visible(s).of(i);
  return Way::pair(problem, dot(q, k, problem.dim), dot(d_o, v, problem.value_dim),
                   problem.lse[row], dot(d_o, o, problem.value_dim), row, j,
                   keys.first <= j && j < keys.last);
}

template <class Way, class T>
__global__ void by_query(BackwardProblem<T> problem, std::int64_t rows) {
  const std::int64_t row = std::int64_t(blockIdx.x) * row_threads + threadIdx.x;
  if (row >= rows) return;
  const auto [s, h, i] = query_of(problem, row);
  float sum[most] = {};
  for (int j = 0; j < s.keys; ++j) {
    const Pair pair = pair_at<Way>(problem, s, h, i, j);
    const T* const k = problem.k.at(s.batch, s.first_key + j, h / problem.group);
    for (int c = 0; c < problem.dim; ++c) sum[c] += pair.ds * to_float(k[c]);
  }
  T* const dq = problem.dq.at(s.batch, s.first_query + i, h);
  for (int c = 0; c < problem.dim; ++c) dq[c] = from_float<T>(problem.scale * sum[c]);
}

template <class Way, class T>
__global__ void by_key(BackwardProblem<T> problem, int per_head, std::int64_t all) {
  const std::int64_t number = std::int64_t(blockIdx.x) * row_threads + threadIdx.x;
  if (number >= all) return;
  const auto [s, sequence, kv_head, j] = key_tile_of<1>(problem, int(number), per_head);
  if (j >= s.keys) return;
  T* const dk = problem.dk.at(s.batch, s.first_key + j, kv_head);
  T* const dv = problem.dv.at(s.batch, s.first_key + j, kv_head);
  float dk_sum[most] = {}, dv_sum[most] = {};
  for (int h = kv_head * problem.group; h < (kv_head + 1) * problem.group; ++h) {
    if constexpr (Way::stores_each_head)
      for (int c = 0; c < most; ++c) dk_sum[c] = dv_sum[c] = 0;
    for (int i = 0; i < s.queries; ++i) {
      const Pair pair = pair_at<Way>(problem, s, h, i, j);
      const T* const q = problem.q.at(s.batch, s.first_query + i, h);
      const T* const d_o = problem.d_o.at(s.batch, s.first_query + i, h);
      for (int c = 0; c < problem.dim; ++c) dk_sum[c] += pair.ds * to_float(q[c]);
      for (int c = 0; c < problem.value_dim; ++c) dv_sum[c] += pair.p * to_float(d_o[c]);
    }
  }
  for (int c = 0; c < problem.dim; ++c) dk[c] = from_float<T>(problem.scale * dk_sum[c]);
  for (int c = 0; c < problem.value_dim; ++c) dv[c] = from_float<T>(dv_sum[c]);
}

template <class Way>
void launch_queries(const Backward& args, cudaStream_t stream) {
  const std::int64_t rows = args.lse.size();
  if (rows == 0) return;
  dispatch_float(args.q.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    by_query<Way><<<grid_x(rows, row_threads), row_threads, 0, stream>>>(problem_of<T>(args), rows);
  });
}

template <class Way>
void launch_rows(const Backward& args, cudaStream_t stream) {
  launch_queries<Way>(args, stream);
  const std::int64_t keys = args.dk.size() + args.dv.size() > 0 ? key_tiles_of<1>(args) : 0;
  if (keys == 0) return;
  dispatch_float(args.q.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    by_key<Way><<<grid_x(keys, row_threads), row_threads, 0, stream>>>(
        problem_of<T>(args), key_tiles_per_head<1>(args), keys);
  });
}

}  // namespace
}  // namespace warpath::attention
