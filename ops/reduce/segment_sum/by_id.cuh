// What the rungs of segment_sum_by_id share: the segment of a row, maxima as integers, sums in fixed point.
#pragma once
#include <math.h>

#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/reduce/segment_sum/segment_sum.h"

namespace warpath::segment_sum {

struct Ids {
  const void* ids;
  bool wide;  // 64 bits
  std::int64_t segments;

  static Ids of(const Tensor& ids, std::int64_t segments) {
    return {ids.data, ids.dtype == DType::i64, segments};
  }
  // -1: in none.
  __device__ __forceinline__ std::int64_t of(std::int64_t row) const {
    const std::int64_t id =
        wide ? static_cast<const std::int64_t*>(ids)[row] : static_cast<const int*>(ids)[row];
    return id >= 0 && id < segments ? id : -1;
  }
};

// Integers in the order of floats, for atomicMax: NaN above all, 0 below all, for a segment that nothing was joined to.
__device__ __forceinline__ unsigned key_of(float x) {
  if (x != x) return 0xffffffffu;
  const unsigned bits = __float_as_uint(x);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}
__device__ __forceinline__ float of_key(unsigned key) {
  if (key == 0) return -INFINITY;
  if (key == 0xffffffffu) return __uint_as_float(0x7fc00000u);
  return __uint_as_float(key >> 31 ? key & 0x7fffffffu : ~key);
}

// A sum of floats as a 64-bit integer: additions of integers give the same result in every order. The unit is chosen by the
// largest exponent among the summands, so that `rows` of them cannot overflow.
struct FixedPoint {
  int room;  // bits of a summand

  static FixedPoint of(std::int64_t rows) {
    int bits = 0;
    while (std::int64_t(1) << bits < rows) ++bits;
    return {61 - bits};
  }
  // The exponent's field; 0 for zero, which needs no unit.
  static __device__ __forceinline__ unsigned exponent(float x) {
    const unsigned field = __float_as_uint(x) >> 23 & 0xffu;
    return x == 0 ? 0u : field == 0 ? 1u : field;
  }
  // |x| < 2^(largest - 126) becomes less than 2^room.
  __device__ __forceinline__ int shift(unsigned largest) const { return room + 126 - int(largest); }
  __device__ __forceinline__ long long of(float x, unsigned largest) const {
    return llrint(ldexp(double(x), shift(largest)));
  }
  __device__ __forceinline__ double value(long long sum, unsigned largest) const {
    return ldexp(double(sum), -shift(largest));
  }
};

// NaN and the infinities are no numbers of fixed point: each sets its bit, and the bits decide at the end.
enum Special : unsigned { no_special = 0, plus_infinity = 1, minus_infinity = 2, not_a_number = 4 };

__device__ __forceinline__ unsigned special_of(float x) {
  if (x != x) return not_a_number;
  if (x == INFINITY) return plus_infinity;
  return x == -INFINITY ? minus_infinity : no_special;
}
__device__ __forceinline__ float special_sum(unsigned seen) {
  if (seen == plus_infinity) return INFINITY;
  if (seen == minus_infinity) return -INFINITY;
  return __uint_as_float(0x7fc00000u);
}

// Before the first element: 0.0f, no exponent, a key below all others.
template <class Word>
__global__ void clear_words(Word* words, std::int64_t count) {
  const std::int64_t k = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (k < count) words[k] = 0;
}

// Scratch memory of the rungs in fixed point. Of a maximum only `tops`, its keys, is used.
struct Parts {
  long long* sums;     // (segments, cols)
  unsigned* tops;      // (segments, cols): the largest exponents, or the keys of the maxima
  unsigned* specials;  // (segments, cols)
  unsigned* rows;      // (segments)

  static std::int64_t bytes(const ById& args) { return 16 * args.y.size() + 4 * args.y.shape[0]; }
  static Parts of(const ById& args) {
    Parts p;
    p.sums = static_cast<long long*>(args.scratch.data);
    p.tops = reinterpret_cast<unsigned*>(p.sums + args.y.size());
    p.specials = p.tops + args.y.size();
    p.rows = p.specials + args.y.size();
    return p;
  }
};

template <class T>
__global__ void finish_parts(Parts parts, T* y, std::int64_t size, std::int64_t cols, Kind kind,
                             FixedPoint fixed) {
  const std::int64_t k = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (k >= size) return;
  float total;
  if (kind == Kind::max)
    total = of_key(parts.tops[k]);
  else if (parts.specials[k] != 0)
    total = special_sum(parts.specials[k]);
  else if (kind == Kind::sum)
    total = float(fixed.value(parts.sums[k], parts.tops[k]));
  else
    total = float(fixed.value(parts.sums[k], parts.tops[k]) / parts.rows[k / cols]);
  y[k] = from_float<T>(total);
}

}  // namespace warpath::segment_sum
