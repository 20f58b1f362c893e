// A call as kernels see it.
//
// Grouped queries are packed: the queries of all new tokens and heads that read key head `kv` are the rows of one matrix.
// Row r is token r / group, head kv * group + r % group.
#pragma once
#include <cmath>
#include <string>

#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/ptx/exp2.cuh"
#include "core/thread/convert.cuh"
#include "core/thread/vector.cuh"
#include "ops/attention/attention_decode/attention_decode.h"
#include "ops/attention/pages.cuh"
#include "ops/attention/visible.h"

namespace warpath::attention_decode {

inline constexpr float log2_e = 1.4426950408889634f;
inline constexpr float ln_2 = 0.6931471805599453f;
inline constexpr int most_dim = 256;

// From a dot product to the exponent of 2: s * log2(e).
struct Score {
  float factor, cap;  // cap 0: none

  __device__ __forceinline__ float operator()(float dot) const {
    return cap == 0 ? dot * factor : cap * tanhf(dot * factor);
  }
  // Many of them, with one question for all.
  template <int N, int M>
  __device__ __forceinline__ void operator()(float (&dots)[N][M]) const {
    if (cap == 0) {
#pragma unroll
      for (int i = 0; i < N * M; ++i) dots[i / M][i % M] *= factor;
    } else {
#pragma unroll
      for (int i = 0; i < N * M; ++i) dots[i / M][i % M] = cap * tanhf(dots[i / M][i % M] * factor);
    }
  }
};

// The running maximum of scores and the sum of 2^(score - max).
struct Stat {
  float max, sum;
};

// 2^(x - max); 0 where there was no score yet, because -inf - -inf would be NaN.
__device__ __forceinline__ float weight(float x, float max) {
  return ptx::exp2(x - (max == -INFINITY ? 0.0f : max));
}

template <class T>
struct Problem {
  struct Cache {
    const T* data;
    std::int64_t page, slot, head, element;  // strides

    __device__ __forceinline__ const T* at(attention::Slot s, int kv) const {
      return data + s.page * page + s.slot * slot + kv * head;
    }
  };
  const T* q;
  std::int64_t q_batch, q_token, q_head, q_element;  // strides
  Cache k, v;
  T* o;
  float* lse;  // may be null
  const int* lengths;
  attention::Pages pages;
  int tokens, heads, kv_heads, group, rows, dim, window;
  Divisor by_group;
  Score score;

  __device__ __forceinline__ attention::Visible visible(int sequence) const {
    return {tokens, lengths[sequence], true, window};
  }
  __device__ __forceinline__ int token_of(int row) const { return by_group.quotient(row); }
  __device__ __forceinline__ int head_of(int kv, int row) const {
    return kv * group + row - token_of(row) * group;
  }
  __device__ __forceinline__ const T* query(int sequence, int kv, int row) const {
    return q + sequence * q_batch + token_of(row) * q_token + head_of(kv, row) * q_head;
  }
  __device__ __forceinline__ T* output(int sequence, int kv, int row) const {
    return o + ((std::int64_t(sequence) * tokens + token_of(row)) * heads + head_of(kv, row)) * dim;
  }
  // One thread per row calls it.
  __device__ __forceinline__ void put_lse(int sequence, int kv, int row, Stat s) const {
    if (lse)
      lse[(std::int64_t(sequence) * heads + head_of(kv, row)) * tokens + token_of(row)] =
          s.sum == 0 ? -INFINITY : (s.max + log2f(s.sum)) * ln_2;
  }
};

// What an accumulated output is multiplied by in the end; a row that saw no key stays 0.
__device__ __forceinline__ float share_of(float sum) {
  return sum == 0 ? 0.0f : 1 / sum;
}

inline std::int64_t batch_of(const Args& args) {
  return args.q.shape[0];
}
inline std::int64_t rows_of(const Args& args) {
  return args.k.shape[2] ? args.q.shape[2] / args.k.shape[2] * args.q.shape[1] : 0;
}
// The most keys that a sequence shows its queries.
inline std::int64_t most_keys(const Args& args) {
  const std::int64_t capacity = attention::capacity_of(args.k, args.block_table);
  return args.window > 0 ? std::min(capacity, args.window + args.q.shape[1] - 1) : capacity;
}

template <class T>
Problem<T> problem_of(const Args& args) {
  const std::int64_t dim = args.q.shape[3], heads = args.q.shape[2], kv_heads = args.k.shape[2];
  WARPATH_CHECK(kv_heads > 0 && heads % kv_heads == 0,
                "attention_decode: heads must be a multiple of kv_heads");
  const auto cache = [](const Tensor& t) {
    return
        typename Problem<T>::Cache{t.as<T>(), t.stride[0], t.stride[1], t.stride[2], t.stride[3]};
  };
  const double scale = args.scale != 0 ? args.scale : 1 / std::sqrt(double(dim));
  const double cap = args.softcap;
  const int group = int(heads / kv_heads), tokens = int(args.q.shape[1]);
  return {.q = args.q.as<T>(),
          .q_batch = args.q.stride[0],
          .q_token = args.q.stride[1],
          .q_head = args.q.stride[2],
          .q_element = args.q.stride[3],
          .k = cache(args.k),
          .v = cache(args.v),
          .o = args.o.as<T>(),
          .lse = args.lse.as<float>(),
          .lengths = args.lengths.as<int>(),
          .pages = attention::pages_of(Args::op, batch_of(args), args.k, args.block_table),
          .tokens = tokens,
          .heads = int(heads),
          .kv_heads = int(kv_heads),
          .group = group,
          .rows = group * tokens,
          .dim = int(dim),
          .window = int(std::min<std::int64_t>(args.window, 1 << 30)),
          .by_group = Divisor::of(group),
          .score = {.factor = float(cap != 0 ? scale / cap : scale * double(log2_e)),
                    .cap = float(cap * double(log2_e))}};
}

inline std::string short_heads(const Args& args) {
  return args.q.shape[3] > most_dim ? "it takes heads of up to 256 elements" : "";
}

// Every rung except the first asks for these.
inline std::string fits(const Args& args) {
  for (const Tensor* t : {&args.q, &args.k, &args.v})
    if (t->stride[3] != 1 && t->shape[3] > 1) return "the elements of a head must be contiguous";
  return short_heads(args);
}

// Whether every head of every token starts at a multiple of 16 bytes.
inline bool in_vectors(const Args& args) {
  const auto n = std::int64_t(16 / size_of(args.q.dtype));
  for (const Tensor* t : {&args.q, &args.k, &args.v}) {
    if (!t->is_aligned(16)) return false;
    for (int axis = 0; axis < 3; ++axis)
      if (t->shape[axis] > 1 && t->stride[axis] % n != 0) return false;
  }
  return args.q.shape[3] % n == 0 && args.o.is_aligned(16);
}

}  // namespace warpath::attention_decode
