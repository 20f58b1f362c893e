// A call of the backward pass as the kernels see it; most of it is a call of the forward pass.
#pragma once
#include "core/host/device.cuh"
#include "ops/attention/attention/problem.cuh"

namespace warpath::attention {

template <class T>
struct BackwardProblem : Problem<T> {
  Rows<const T> d_o;
  Rows<T> dq, dk, dv;
  int kv_heads;
};

inline Forward forward_of(const Backward& a) {
  Forward f;
  f.q = a.q, f.k = a.k, f.v = a.v, f.o = a.o, f.lse = a.lse;
  f.q_offsets = a.q_offsets, f.k_offsets = a.k_offsets;
  f.scale = a.scale, f.softcap = a.softcap, f.dropout = a.dropout;
  f.causal = a.causal, f.window = a.window, f.seed = a.seed, f.offset = a.offset;
  return f;
}

template <class T>
BackwardProblem<T> problem_of(const Backward& a) {
  return {{problem_of<T>(forward_of(a))},
          rows_of<const T, const T>(a.d_o),
          rows_of<T, T>(a.dq),
          rows_of<T, T>(a.dk),
          rows_of<T, T>(a.dv),
          static_cast<int>(a.k.shape[2])};
}

// For a rung's .supports.
inline std::string up_to_256(const Backward& a) {
  if (a.d_o.stride[3] != 1 && a.d_o.shape[3] > 1) return "dim must be contiguous";
  return up_to_256(forward_of(a));
}

// Keys are cut into tiles as queries are: see Sequences.
template <int Width>
int key_tiles_per_head(const Backward& a) {
  Forward f = forward_of(a);
  std::swap(f.q, f.k);
  return tiles_per_head<Width>(f);
}
template <int Width>
std::int64_t key_tiles_of(const Backward& a) {
  return a.k.shape[0] * a.k.shape[2] * key_tiles_per_head<Width>(a);
}

struct KeyTile {
  Sequence s;
  int sequence;     // its number
  int head, first;  // head of the keys, first key in the sequence; none where first >= s.keys
};

// Keys outside of all sequences are two more sequences, which have no queries. With a causal mask most queries see the
// first keys of a sequence, and these come first.
template <int Width, class T>
__device__ __forceinline__ KeyTile key_tile_at(const BackwardProblem<T>& p, int head, int tile) {
  const Sequences& all = p.sequences;
  const Sequences by_key{all.k_offsets, all.q_offsets, all.count, all.keys, all.queries};
  if (!all.k_offsets)
    return {all.at(head / p.kv_heads), head / p.kv_heads, head % p.kv_heads, tile * Width};
  const int i = by_key.template of_tile<Width>(tile);
  const Sequence s = by_key.at(i);
  return {{s.batch, s.first_key, s.keys, s.first_query, s.queries},
          i,
          head,
          (tile - by_key.template first_tile<Width>(i)) * Width};
}
template <int Width, class T>
__device__ __forceinline__ KeyTile key_tile_of(const BackwardProblem<T>& p, int block,
                                               int per_head) {
  return key_tile_at<Width>(p, block / per_head, block % per_head);
}

// What one pair of query and key gives.
struct Pair {
  float p;   // the weight of its value in o: with dropout
  float ds;  // the gradient of scale * q . k
};

// dot = q . k, dp = do . v; lse and delta belong to the query, which sees the key. `row`: of lse.
template <class T>
__device__ __forceinline__ Pair pair_of(const BackwardProblem<T>& problem, float dot, float dp,
                                        float lse, float delta, std::int64_t row, int key) {
  float logit = dot * problem.scale, slope = 1;
  if (problem.softcap != 0) {
    const float t = capped(logit / problem.softcap);
    logit = problem.softcap * t;
    slope = 1 - t * t;
  }
  const float p = expf(logit - lse), keep = problem.dropout.apply(1, row, key);
  return {keep * p, p * (keep * dp - delta) * slope};
}

}  // namespace warpath::attention
