// Rung 02 with its decisions taken out, so that a wrong kernel is the one decision that it gets wrong.
#pragma once
#include "ops/attention/attention/problem.cuh"

namespace warpath::attention {

// The right ones; a wrong kernel derives from this and hides one of them.
struct Right {
  template <class T>
  static __device__ Keys keys(const Problem<T>& p, const Query& at) {
    return p.visible(at.s).of(at.query);
  }
  template <class T>
  static __device__ int kv_head(const Problem<T>& p, int head) {
    return head / p.group;
  }
  template <class T>
  static __device__ float logit(const Problem<T>& p, float product) {
    return p.logit(product);
  }
  // What o is multiplied by when the maximum grows.
  static __device__ float shrink(softmax::Stat before, softmax::Stat after) {
    return softmax::exp_from(before.max, after.max);
  }
  // Statistics that a score takes part in; `kept` by dropout or not.
  static __device__ softmax::Stat include(softmax::Stat stat, float s, bool /*kept*/) {
    return softmax::include(stat, s);
  }
  static __device__ float inverse(float sum) { return sum > 0.0f ? 1.0f / sum : 0.0f; }
};

// Keys past the end of the sequence are zeros, as in a tile that was padded.
template <class T, class Choice>
__global__ void by_row(Problem<T> p, std::int64_t rows) {
  const std::int64_t row = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const Query at = query_of(p, row);
  const Keys seen = Choice::keys(p, at);
  const int head = Choice::kv_head(p, at.head);
  const T* const q = p.q.at(at.s.batch, at.s.first_query + at.query, at.head);
  float o[256];
  for (int d = 0; d < p.value_dim; ++d) o[d] = 0.0f;
  softmax::Stat stat = softmax::nothing();
  for (int j = seen.first; j < seen.last; ++j) {
    const bool there = j < at.s.keys;
    const T* const k = p.k.at(at.s.batch, at.s.first_key + j, head);
    const T* const v = p.v.at(at.s.batch, at.s.first_key + j, head);
    float product = 0;
    for (int d = 0; there && d < p.dim; ++d) product += to_float(q[d]) * to_float(k[d]);
    const float s = Choice::logit(p, product);
    const softmax::Stat next = Choice::include(stat, s, p.dropout.apply(1.0f, row, j) > 0.0f);
    const float weight = p.dropout.apply(softmax::exp_from(s, next.max), row, j);
    const float shrink = Choice::shrink(stat, next);
    for (int d = 0; d < p.value_dim; ++d)
      o[d] = o[d] * shrink + weight * (there ? to_float(v[d]) : 0.0f);
    stat = next;
  }
  const float inverse = Choice::inverse(stat.sum);
  T* const to = p.o.at(at.s.batch, at.s.first_query + at.query, at.head);
  for (int d = 0; d < p.value_dim; ++d) to[d] = from_float<T>(o[d] * inverse);
  p.lse[row] = softmax::lse_of(stat);
}

template <class T, class Choice>
void launch_type(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.lse.size();
  by_row<T, Choice><<<grid_x(rows, 128), 128, 0, stream>>>(problem_of<T>(args), rows);
}

template <class Choice>
void launch_by_row(const Forward& args, cudaStream_t stream) {
  if (args.lse.size() == 0) return;
  dispatch_float(args.q.dtype, [&](auto tag) {
    launch_type<typename decltype(tag)::type, Choice>(args, stream);
  });
}

}  // namespace warpath::attention
