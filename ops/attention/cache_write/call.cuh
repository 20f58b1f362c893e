// A call as kernels see it: where the heads of a new token come from and where they go.
#pragma once
#include <string>

#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/attention/cache_write/cache_write.h"
#include "ops/attention/frequency.cuh"
#include "ops/attention/pages.cuh"

namespace warpath::cache_write {

struct Sizes {
  std::int64_t tokens;  // new ones of all sequences
  int new_tokens, heads, kv_heads, dim, pairs;
  bool neighbours;
  Divisor by_new_tokens;

  // In the order: heads of q, of k, of v.
  __host__ __device__ int all_heads() const { return heads + 2 * kv_heads; }
  __host__ __device__ int first(int pair) const { return neighbours ? 2 * pair : pair; }
  __host__ __device__ int second(int pair) const {
    return neighbours ? 2 * pair + 1 : pair + pairs;
  }
};

// A new token: its sequence and its position there; negative: padding.
struct Token {
  int sequence, position;
};

// The elements of a head, which need not be neighbours.
template <class T>
struct Elements {
  const T* first;
  std::int64_t step;
  __device__ __forceinline__ T operator[](int d) const { return first[d * step]; }
};

template <class T>
struct Head {
  Elements<T> in;
  T* out;  // null: not written
  bool turned;
};

// New heads of all tokens, with any strides: where one product made q, k and v, a token's are a part of its row.
template <class T>
struct Heads {
  const T* data;
  std::int64_t of_sequence, of_token, of_head, of_element;

  __device__ __forceinline__ Elements<T> at(int sequence, int token, int head) const {
    return {data + sequence * of_sequence + token * of_token + head * of_head, of_element};
  }
};

template <class T>
struct Data {
  Heads<T> q, k, v;
  T *q_out, *cache_k, *cache_v;
  const int* lengths;
  attention::Pages pages;

  __device__ __forceinline__ Token token(const Sizes& s, std::int64_t token) const {
    const int sequence = s.by_new_tokens.quotient(int(token));
    const int t = int(token) - sequence * s.new_tokens;
    return {sequence, lengths[sequence] - s.new_tokens + t};
  }
  // The cache's row of a token, counted in tokens; -1 for padding.
  __device__ __forceinline__ std::int64_t row(Token t) const {
    if (t.position < 0) return -1;
    const attention::Slot slot = pages.find(t.sequence, t.position);
    return std::int64_t(slot.page) * pages.page_size + slot.slot;
  }
  __device__ __forceinline__ Head<T> head(const Sizes& s, std::int64_t token, std::int64_t row,
                                          int head) const {
    const int sequence = s.by_new_tokens.quotient(int(token));
    const int t = int(token) - sequence * s.new_tokens;
    if (head < s.heads)
      return {q.at(sequence, t, head), q_out + (token * s.heads + head) * s.dim, true};
    const bool is_k = head < s.heads + s.kv_heads;
    const int kv = head - s.heads - (is_k ? 0 : s.kv_heads);
    const std::int64_t to = (row * s.kv_heads + kv) * s.dim;
    return {(is_k ? k : v).at(sequence, t, kv), row < 0 ? nullptr : (is_k ? cache_k : cache_v) + to,
            is_k};
  }
};

inline Sizes sizes_of(const Args& args) {
  const std::int64_t dim = args.k.shape[3];
  const std::int64_t rotary = args.pairs == Pairs::none ? 0
                              : args.rotary_dim         ? args.rotary_dim
                                                        : dim;
  WARPATH_CHECK(rotary >= 0 && rotary <= dim && rotary % 2 == 0,
                "cache_write: rotary_dim must be even and no more than dim");
  WARPATH_CHECK(args.base > 0 && args.factor > 0, "cache_write: base and factor must be above 0");
  WARPATH_CHECK(!args.q.data == !args.q_out.data, "cache_write: q and q_out come together");
  const std::int64_t tokens = args.k.shape[0] * args.k.shape[1];
  WARPATH_CHECK(tokens < std::int64_t(1) << 31, "cache_write: fewer than 2^31 new tokens");
  const auto new_tokens = static_cast<int>(args.k.shape[1]);
  return {tokens,
          new_tokens,
          args.q.data ? static_cast<int>(args.q.shape[2]) : 0,
          static_cast<int>(args.k.shape[2]),
          static_cast<int>(dim),
          static_cast<int>(rotary / 2),
          args.pairs == Pairs::neighbours,
          Divisor::of(new_tokens > 0 ? new_tokens : 1)};
}

inline rope::Scaling scaling_of(const Args& args) {
  return {args.base, args.factor, args.low_freq_factor, args.high_freq_factor,
          static_cast<double>(args.original_max_position)};
}

template <class T>
Heads<T> heads_of(const Tensor& t) {
  return {t.as<T>(), t.stride[0], t.stride[1], t.stride[2], t.stride[3]};
}

template <class T>
Data<T> data_of(const Args& args) {
  return {heads_of<T>(args.q),
          heads_of<T>(args.k),
          heads_of<T>(args.v),
          args.q_out.as<T>(),
          args.cache_k.as<T>(),
          args.cache_v.as<T>(),
          args.lengths.as<int>(),
          attention::pages_of(Args::op, args.k.shape[0], args.cache_k, args.block_table)};
}

}  // namespace warpath::cache_write
