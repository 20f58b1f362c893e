// A call of rope or of its gradient as kernels see it, and what rungs share: where the elements of a
// pair are, which position a token has, which frequency a pair.
#pragma once
#include <cstdint>
#include <string>

#include "core/host/dispatch.cuh"
#include "core/host/error.h"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/attention/frequency.cuh"
#include "ops/attention/rope/rope.h"

namespace warpath::rope {

struct Sizes {
  std::int64_t tokens, sequence;
  int heads, kv_heads, dim, pairs;
  bool neighbours;

  __host__ __device__ int all_heads() const { return heads + kv_heads; }
  // The elements of pair i within a head.
  __host__ __device__ int first(int i) const { return neighbours ? 2 * i : i; }
  __host__ __device__ int second(int i) const { return neighbours ? 2 * i + 1 : i + pairs; }
  // What one thread of the simple rungs does of a head: a pair, or an element that passes unchanged.
  __host__ __device__ int units() const { return dim - pairs; }
};

template <class T>
struct Data {
  const T *q, *k;
  T *q_out, *k_out;
  const std::int64_t* positions;
};

struct Call {
  Sizes sizes;
  Scaling scaling;
  float sign;  // of the angle: -1 for the gradient
  Tensor q, k, positions, q_out, k_out;

  template <class T>
  Data<T> data() const {
    return {q.as<T>(), k.as<T>(), q_out.as<T>(), k_out.as<T>(), positions.as<std::int64_t>()};
  }
};

template <class Args>
Call call_of(const Args& args, const Tensor& q, const Tensor& k, const Tensor& q_out,
             const Tensor& k_out, float sign) {
  const std::int64_t dim = q.shape[3], rotary = args.rotary_dim ? args.rotary_dim : dim;
  WARPATH_CHECK(rotary >= 0 && rotary <= dim && rotary % 2 == 0,
                "rope: rotary_dim must be even and no more than dim");
  WARPATH_CHECK(args.base > 0 && args.factor > 0, "rope: base and factor must be above 0");
  const int kv_heads = k.data ? static_cast<int>(k.shape[2]) : 0;
  return {.sizes = {q.shape[0] * q.shape[1], q.shape[1], static_cast<int>(q.shape[2]), kv_heads,
                    static_cast<int>(dim), static_cast<int>(rotary / 2),
                    args.pairs == Pairs::neighbours},
          .scaling = {args.base, args.factor, args.low_freq_factor, args.high_freq_factor,
                      static_cast<double>(args.original_max_position)},
          .sign = sign,
          .q = q,
          .k = k,
          .positions = args.positions,
          .q_out = q_out,
          .k_out = k_out};
}
inline Call call_of(const Forward& a) {
  return call_of(a, a.q, a.k, a.q_out, a.k_out, 1);
}
inline Call call_of(const Backward& a) {
  return call_of(a, a.dq_out, a.dk_out, a.dq, a.dk, -1);
}

template <class T>
__device__ __forceinline__ std::int64_t position_of(const Data<T>& data, const Sizes& sizes,
                                                    std::int64_t token) {
  return data.positions ? data.positions[token] : token % sizes.sequence;
}

// The heads of a token in one order: those of q, then those of k.
template <class T>
struct Head {
  const T* in;
  T* out;

  __device__ __forceinline__ Head(const Data<T>& data, const Sizes& sizes, std::int64_t token,
                                  int head) {
    const bool is_k = head >= sizes.heads;
    const std::int64_t row =
        is_k ? token * sizes.kv_heads + (head - sizes.heads) : token * sizes.heads + head;
    in = (is_k ? data.k : data.q) + row * sizes.dim;
    out = (is_k ? data.k_out : data.q_out) + row * sizes.dim;
  }

  // A pair turned, or an element that passes unchanged.
  __device__ __forceinline__ void turn(const Sizes& sizes, int unit, float c, float s) const {
    if (unit >= sizes.pairs) {
      out[unit + sizes.pairs] = in[unit + sizes.pairs];
      return;
    }
    const int i = sizes.first(unit), j = sizes.second(unit);
    const float a = to_float(in[i]), b = to_float(in[j]);
    out[i] = from_float<T>(a * c - b * s);
    out[j] = from_float<T>(b * c + a * s);
  }
};

}  // namespace warpath::rope
