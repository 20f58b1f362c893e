// What the kernels of the backward pass get: strided rows, the sequences, one pair's probability.
#pragma once
#include <cmath>
#include <string>

#include "core/host/device.cuh"
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "core/thread/philox.cuh"
#include "ops/attention/attention/attention.h"
#include "ops/attention/visible.h"

namespace warpath::attention {

// Rows of a (batch, sequence, heads, dim) tensor; strides in elements.
template <class T>
struct Rows {
  T* data;
  std::int64_t batch, step, head;

  __device__ __forceinline__ T* at(int b, std::int64_t i, int h) const {
    return data + b * batch + i * step + h * head;
  }
};

template <class T>
Rows<T> rows_of(const Tensor& x) {
  return {x.as<T>(), x.stride[0], x.stride[1], x.stride[2]};
}

// One sequence: where its rows begin, and which keys its queries see.
struct Sequence {
  int batch;
  int q0, k0;  // its first query and key on the sequence axis
  Visible visible;
};

// A tile of one sequence's rows.
struct SequenceTile {
  int sequence, first;
};

// The mask of dropout, computed again from the row and the key.
struct Keep {
  std::uint64_t seed, offset;
  std::uint32_t threshold;
  bool none;    // dropout of 1: no threshold of 32 bits drops every word
  float scale;  // of what is kept; 1 without dropout

  // The words of keys 4 * group to 4 * group + 3.
  __device__ __forceinline__ PhiloxWords words(std::int64_t row, int group) const {
    return philox(philox_counter((std::uint64_t(row) << 32) + unsigned(group), offset), seed);
  }
  __device__ __forceinline__ bool keeps(std::uint32_t word) const {
    return !none && word >= threshold;
  }
  __device__ __forceinline__ bool operator()(std::int64_t row, int key) const {
    return keeps(words(row, key / 4).at[key % 4]);
  }
};

template <class T>
struct BackwardProblem {
  Rows<const T> q, k, v, d_o, o;
  Rows<T> dq, dk, dv;
  const float* lse;
  const int *q_offsets, *k_offsets;
  int sequences, queries, keys, heads, kv_heads, dim,
      value_dim;  // queries, keys: of the whole axis
  float scale, softcap;
  bool causal, dropout;
  int window;
  Keep keep;

  __device__ __forceinline__ int group() const { return heads / kv_heads; }

  __device__ __forceinline__ Sequence sequence(int b) const {
    if (!q_offsets) return {b, 0, 0, {queries, keys, causal, window}};
    const int q0 = q_offsets[b], k0 = k_offsets[b];
    return {0, q0, k0, {q_offsets[b + 1] - q0, k_offsets[b + 1] - k0, causal, window}};
  }

  // The sequence that tile number `tile` of all sequences' queries or keys belongs to, -1 past the last.
  __device__ __forceinline__ SequenceTile find(int tile, int side, bool of_queries) const {
    const int* offsets = of_queries ? q_offsets : k_offsets;
    if (!offsets) {
      const int each = ((of_queries ? queries : keys) + side - 1) / side;
      if (each == 0 || tile / each >= sequences) return {-1, 0};
      return {tile / each, tile % each * side};
    }
    for (int b = 0, begin = offsets[0]; b < sequences; ++b) {
      const int end = offsets[b + 1], tiles = (end - begin + side - 1) / side;
      if (tile < tiles) return {b, tile * side};
      tile -= tiles;
      begin = end;
    }
    return {-1, 0};
  }

  // The row of lse: query i of the sequence.
  __device__ __forceinline__ std::int64_t row(const Sequence& s, int head, int i) const {
    return (std::int64_t(s.batch) * heads + head) * queries + s.q0 + i;
  }
};

// The most tiles of `side` rows that sequences of `rows` rows in all can have.
inline std::int64_t most_tiles(const Backward& args, std::int64_t rows, int side) {
  if (!args.q_offsets.data) return args.q.shape[0] * ceil_div(rows, side);
  return rows / side + args.q_offsets.shape[0] - 1;
}

template <class T>
BackwardProblem<T> problem_of(const Backward& a) {
  WARPATH_CHECK(a.dropout >= 0 && a.dropout <= 1, "attention: dropout must be between 0 and 1");
  BackwardProblem<T> p;
  p.q = rows_of<const T>(a.q);
  p.k = rows_of<const T>(a.k);
  p.v = rows_of<const T>(a.v);
  p.d_o = rows_of<const T>(a.d_o);
  p.o = rows_of<const T>(a.o);
  p.dq = rows_of<T>(a.dq);
  p.dk = rows_of<T>(a.dk);
  p.dv = rows_of<T>(a.dv);
  p.lse = a.lse.as<float>();
  p.q_offsets = a.q_offsets.as<int>();
  p.k_offsets = a.k_offsets.as<int>();
  p.sequences = int(p.q_offsets ? a.q_offsets.shape[0] - 1 : a.q.shape[0]);
  p.queries = int(a.q.shape[1]);
  p.keys = int(a.k.shape[1]);
  p.heads = int(a.q.shape[2]);
  p.kv_heads = int(a.k.shape[2]);
  p.dim = int(a.q.shape[3]);
  p.value_dim = int(a.v.shape[3]);
  p.scale = float(a.scale != 0 ? a.scale : 1 / std::sqrt(double(p.dim)));
  p.softcap = float(a.softcap);
  p.causal = a.causal;
  p.dropout = a.dropout > 0;
  p.window = a.window >= p.queries + std::int64_t(p.keys) ? 0 : int(a.window);
  p.keep = {std::uint64_t(a.seed), std::uint64_t(a.offset),
            a.dropout < 1 ? std::uint32_t(a.dropout * 0x1p32) : 0, a.dropout >= 1,
            a.dropout < 1 ? float(1 / (1 - a.dropout)) : 0.0f};
  return p;
}

// What one pair of query and key gives.
struct Pair {
  float p;   // the weight of its value in o: with dropout
  float ds;  // the gradient of scale * q . k
};

// dot = q . k, dp = do . v; lse and delta belong to the query. A query without keys has lse = -inf and
// sees no key: nobody asks.
template <class T>
__device__ __forceinline__ Pair pair_of(const BackwardProblem<T>& problem, float dot, float dp,
                                        float lse, float delta, std::int64_t row, int key) {
  float s = dot * problem.scale, slope = 1;
  if (problem.softcap != 0) {
    const float t = tanhf(s / problem.softcap);
    s = problem.softcap * t;
    slope = 1 - t * t;
  }
  const float p = expf(s - lse);
  float keep = 1;
  if (problem.dropout) keep = problem.keep(row, key) ? problem.keep.scale : 0.0f;
  return {keep * p, p * (keep * dp - delta) * slope};
}

// dim contiguous; the kernels count rows by 32 bits.
inline std::string rows_are_whole(const Backward& args) {
  for (const Tensor* x : {&args.d_o, &args.q, &args.k, &args.v})
    if (x->shape[3] > 1 && x->stride[3] != 1) return "the head's dimension must be contiguous";
  if (args.q.shape[3] > 256 || args.v.shape[3] > 256) return "heads of more than 256";
  return {};
}

// Keys and queries outside of all sequences have no gradient.
inline void clear_outside(const Backward& args, cudaStream_t stream) {
  if (!args.q_offsets.data) return;
  for (const Tensor* x : {&args.dq, &args.dk, &args.dv})
    CUDA_CHECK(cudaMemsetAsync(x->data, 0, std::size_t(x->bytes()), stream));
}

}  // namespace warpath::attention
