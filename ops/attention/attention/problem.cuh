// A call as the kernels see it: where a head's rows lie, which sequence a query belongs to, what becomes of a score.
#pragma once
#include <cmath>
#include <string>
#include <type_traits>

#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/attention/attention/attention.h"
#include "ops/attention/attention/score.cuh"
#include "ops/attention/visible.h"

namespace warpath::attention {

// A tensor (batch, sequence, heads, dim), dim contiguous.
template <class T>
struct Rows {
  T* data;
  std::int64_t batch, token, head;  // strides

  __device__ __forceinline__ T* at(int b, std::int64_t t, int h) const {
    return data + b * batch + t * token + h * head;
  }
};

// Tokens of one sequence.
struct Sequence {
  int batch, first_query, queries, first_key, keys;
};

// With offsets, the rows before the first and after the last sequence are two more sequences, which have no keys.
struct Sequences {
  const int *q_offsets, *k_offsets;  // null: each batch is a sequence
  int count, queries, keys;          // of all

  __device__ __forceinline__ int begin(int i) const {
    return i == 0 ? 0 : i == count ? queries : q_offsets[i - 1];
  }
  __device__ __forceinline__ Sequence at(int i) const {
    if (!q_offsets) return {i, 0, queries, 0, keys};
    const int first = begin(i), length = begin(i + 1) - first;
    if (i == 0 || i == count - 1) return {0, first, length, 0, 0};
    return {0, first, length, k_offsets[i - 1], k_offsets[i] - k_offsets[i - 1]};
  }
  __device__ __forceinline__ int of_token(int token) const {
    return last([&](int i) { return begin(i) <= token; });
  }
  // Sequence i begins at tile i + begin(i) / Height: that leaves room for its last, partial tile, and no block has to add
  // up the tiles of all sequences before its own.
  template <int Height>
  __device__ __forceinline__ int first_tile(int i) const {
    return i + begin(i) / Height;
  }
  template <int Height>
  __device__ __forceinline__ int of_tile(int tile) const {
    return last([&](int i) { return first_tile<Height>(i) <= tile; });
  }

 private:
  // The last sequence for which it holds; it does for the first.
  template <class F>
  __device__ __forceinline__ int last(F holds) const {
    int low = 0, high = count;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (holds(middle) ? low : high) = middle;
    }
    return low;
  }
};

template <class T>
struct Problem {
  Rows<const T> q, k, v;
  Rows<T> o;
  float* lse;
  Sequences sequences;
  int heads, group, dim, value_dim;
  float scale, softcap;
  bool causal;
  int window;
  Dropout dropout;

  __device__ __forceinline__ Visible visible(const Sequence& s) const {
    return {s.queries, s.keys, causal, window};
  }
  // The row of lse, and of dropout's mask.
  __device__ __forceinline__ std::int64_t row(const Sequence& s, int head, int query) const {
    return (std::int64_t(s.batch) * heads + head) * sequences.queries + s.first_query + query;
  }
  // From q . k to the logit.
  __device__ __forceinline__ float logit(float product) const {
    return softcap == 0.0f ? product * scale : capped(product * scale / softcap) * softcap;
  }
  // The same for softmax::exp_scaled: x and a factor > 0 such that exp(logit) = 2^(factor * x).
  __device__ __forceinline__ float for_exponent(float product) const {
    return softcap != 0.0f ? capped(product * scale / fabsf(softcap))
                           : copysignf(1.0f, scale) * product;
  }
  __device__ __forceinline__ float exponent_factor() const {
    return softmax::log2_e * fabsf(softcap != 0.0f ? softcap : scale);
  }
};

template <class T, class U>
Rows<U> rows_of(const Tensor& t) {
  return {t.as<T>(), t.stride[0], t.stride[1], t.stride[2]};
}

inline Sequences sequences_of(const Forward& a) {
  const int queries = static_cast<int>(a.q.shape[1]), keys = static_cast<int>(a.k.shape[1]);
  if (!a.q_offsets.data) return {nullptr, nullptr, static_cast<int>(a.q.shape[0]), queries, keys};
  return {a.q_offsets.as<int>(), a.k_offsets.as<int>(), static_cast<int>(a.q_offsets.shape[0]) + 1,
          queries, keys};
}

template <class T>
Problem<T> problem_of(const Forward& a) {
  const int heads = static_cast<int>(a.q.shape[2]), kv_heads = static_cast<int>(a.k.shape[2]);
  WARPATH_CHECK(kv_heads > 0 && heads % kv_heads == 0,
                "attention: heads must be a multiple of kv_heads");
  WARPATH_CHECK((a.q_offsets.data == nullptr) == (a.k_offsets.data == nullptr),
                "attention: give both q_offsets and k_offsets, or neither");
  WARPATH_CHECK(!a.q_offsets.data || a.q.shape[0] == 1,
                "attention: with offsets all sequences lie in one batch");
  WARPATH_CHECK(a.dropout >= 0 && a.dropout <= 1, "attention: dropout must be between 0 and 1");
  const int dim = static_cast<int>(a.q.shape[3]);
  return {
      .q = rows_of<const T, const T>(a.q),
      .k = rows_of<const T, const T>(a.k),
      .v = rows_of<const T, const T>(a.v),
      .o = rows_of<T, T>(a.o),
      .lse = a.lse.as<float>(),
      .sequences = sequences_of(a),
      .heads = heads,
      .group = heads / kv_heads,
      .dim = dim,
      .value_dim = static_cast<int>(a.v.shape[3]),
      .scale = static_cast<float>(a.scale == 0 ? 1 / std::sqrt(static_cast<double>(dim)) : a.scale),
      .softcap = static_cast<float>(a.softcap),
      .causal = a.causal,
      .window = static_cast<int>(std::min(a.window, a.q.shape[1] + a.k.shape[1])),
      .dropout = dropout_of(a)};
}

// For a rung's .supports.
inline std::string contiguous_dim(const Forward& a) {
  for (const Tensor* t : {&a.q, &a.k, &a.v})
    if (t->stride[3] != 1 && t->shape[3] > 1) return "dim must be contiguous";
  return {};
}
inline std::string up_to_256(const Forward& a) {
  if (a.q.shape[3] > 256 || a.v.shape[3] > 256) return "heads of more than 256 elements";
  return contiguous_dim(a);
}

// Whether its rows may be moved 16 bytes at a time.
inline bool in_vectors(const Tensor& t) {
  bool all = t.is_aligned(16) && t.shape[3] % 8 == 0;
  for (int axis = 0; axis < 3; ++axis) all = all && (t.shape[axis] <= 1 || t.stride[axis] % 8 == 0);
  return all;
}

// Calls f with the first of the sizes that both dims fit into, as a constant.
template <int... Sizes, class F>
void with_dim(const Forward& a, F&& f) {
  const std::int64_t dim = std::max(a.q.shape[3], a.v.shape[3]);
  const auto attempt = [&](auto size) { return dim <= size.value && (f(size), true); };
  (attempt(std::integral_constant<int, Sizes>{}) || ...);
}

// Queries are cut into tiles of Height rows that lie in one sequence each. With offsets some tiles have no rows.
template <int Height>
int tiles_per_head(const Forward& a) {
  const std::int64_t queries = a.q.shape[1];
  if (!a.q_offsets.data) return static_cast<int>(ceil_div(queries, Height));
  return static_cast<int>(queries / Height + a.q_offsets.shape[0] + 1);
}

// One block each; 0 where there is nothing to do.
template <int Height>
unsigned tiles_of(const Forward& a) {
  const std::int64_t blocks = a.q.shape[0] * a.q.shape[2] * tiles_per_head<Height>(a);
  WARPATH_CHECK(blocks <= max_grid_x, "attention: more tiles than a grid can have");
  return static_cast<unsigned>(blocks);
}

struct Tile {
  Sequence s;
  int head, row;  // its first row in the sequence; none where row >= s.queries
};

// All tiles of a head one after the other: blocks that run at the same time share its keys and values. With a causal
// mask the last rows of a sequence see the most keys, so they come first.
template <int Height, class T>
__device__ __forceinline__ Tile tile_of(const Problem<T>& p, int block, int per_head) {
  const int head = block / per_head, slot = block % per_head;
  const int tile = p.causal ? per_head - 1 - slot : slot;
  if (!p.sequences.q_offsets)
    return {p.sequences.at(head / p.heads), head % p.heads, tile * Height};
  const int i = p.sequences.template of_tile<Height>(tile);
  return {p.sequences.at(i), head, (tile - p.sequences.template first_tile<Height>(i)) * Height};
}

// A row of lse: rungs that take single rows count them through.
struct Query {
  Sequence s;
  int head, query;
};

template <class T>
__device__ __forceinline__ Query query_of(const Problem<T>& p, std::int64_t row) {
  const int token = int(row % p.sequences.queries), head = int(row / p.sequences.queries);
  const Sequence s =
      p.sequences.at(p.sequences.q_offsets ? p.sequences.of_token(token) : head / p.heads);
  return {s, head % p.heads, token - s.first_query};
}

}  // namespace warpath::attention
