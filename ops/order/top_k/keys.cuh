// What the rungs of top_k compare: an element as an unsigned key, and with its column as a candidate.
#pragma once
#include <cstdint>

#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/order/top_k/top_k.h"

namespace warpath::top_k {

// Keys are ordered as the elements are: NaN above all, -0 as 0. With `flip` of all ones, the other way around.
__device__ __forceinline__ unsigned key_of(float x, unsigned flip) {
  const unsigned bits = __float_as_uint(x) == 0x80000000u ? 0 : __float_as_uint(x);
  const unsigned key = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
  return (x != x ? 0xffffffffu : key) ^ flip;
}
template <class T>
__device__ __forceinline__ unsigned key_of(T x, unsigned flip) {
  return key_of(to_float(x), flip);
}

// The key above, the column below and inverted: no two candidates of a row are equal, and the better one is larger. Zero
// is no candidate.
using Candidate = unsigned long long;
__device__ __forceinline__ Candidate candidate(unsigned key, std::int64_t column) {
  return Candidate(key) << 32 | ~unsigned(column);
}
__device__ __forceinline__ std::int64_t column_of(Candidate c) {
  return ~unsigned(c);
}
struct Better {
  __device__ __forceinline__ Candidate operator()(Candidate a, Candidate b) const {
    return a > b ? a : b;
  }
};

// The tensors of a forward call.
template <class T>
struct Call {
  const T* x;
  T* values;
  long long* indices;
  std::int64_t rows, cols, k;
  unsigned flip;
  bool sorted;

  static Call of(const Forward& args) {
    return {args.x.as<T>(),
            args.values.as<T>(),
            args.indices.as<long long>(),
            args.x.shape[0],
            args.x.shape[1],
            args.k,
            args.side == Side::largest ? 0u : ~0u,
            args.sorted};
  }
  // The value comes from x itself: a key does not tell one NaN from another, nor -0 from 0.
  __device__ __forceinline__ void write(std::int64_t row, std::int64_t j, Candidate c) const {
    values[row * k + j] = x[row * cols + column_of(c)];
    indices[row * k + j] = column_of(c);
  }
};

inline std::string short_enough(const Forward& args) {
  return args.x.shape[1] < (std::int64_t(1) << 31) ? "" : "takes rows of fewer than 2^31 elements";
}

}  // namespace warpath::top_k
