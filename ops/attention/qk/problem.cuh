// A call as kernels see it.
#pragma once
#include <cmath>

#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/attention/qk/qk.h"
#include "ops/attention/visible.h"

namespace warpath::qk {

template <class T>
struct Problem {
  const T *q, *k;
  T* scores;
  int queries, keys, heads, kv_heads, dim;
  float scale;
  attention::Visible visible;

  // The elements of a head are contiguous; neighbouring tokens are all heads apart.
  __device__ __forceinline__ const T* query(std::int64_t batch, int head, int i) const {
    return q + ((batch * queries + i) * heads + head) * dim;
  }
  __device__ __forceinline__ const T* key(std::int64_t batch, int head, int j) const {
    return k + ((batch * keys + j) * kv_heads + head / (heads / kv_heads)) * dim;
  }
  __device__ __forceinline__ void put(std::int64_t batch, int head, int i, int j, float dot) const {
    const float score = j < visible.of(i).last ? scale * dot : -INFINITY;
    scores[((batch * heads + head) * queries + i) * keys + j] = from_float<T>(score);
  }
};

template <class T>
Problem<T> problem_of(const Args& args) {
  const auto queries = static_cast<int>(args.q.shape[1]), keys = static_cast<int>(args.k.shape[1]);
  const std::int64_t heads = args.q.shape[2], kv_heads = args.k.shape[2], dim = args.q.shape[3];
  WARPATH_CHECK(kv_heads > 0 && heads % kv_heads == 0, "qk: heads must be a multiple of kv_heads");
  const double scale = args.scale != 0 ? args.scale : 1 / std::sqrt(static_cast<double>(dim));
  return {args.q.as<T>(),
          args.k.as<T>(),
          args.scores.as<T>(),
          queries,
          keys,
          static_cast<int>(heads),
          static_cast<int>(kv_heads),
          static_cast<int>(dim),
          static_cast<float>(scale),
          {queries, keys, args.causal, 0}};
}

}  // namespace warpath::qk
