// Keys by rank: whatever the comparison, the key with the lower rank comes first. co_rank(), merge_tile() and sort_tile()
// take any struct with rank(key), whose result has a `<`, and last<T>(), a key that no other comes after: a comparison of
// your own is such a struct (tests/order/own_comparison.cu).
#pragma once
#include <cstdint>
#include <limits>

#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/order/comparison.h"

namespace warpath {

// Integers, ascending: the key is its rank.
struct AsIs {
  __device__ __forceinline__ int rank(int key) const { return key; }
  // A key that no other comes after.
  template <class T>
  __device__ __forceinline__ T last() const {
    return std::numeric_limits<int>::max();
  }
};

// Every other comparison of every type: a few instructions per key, the same for all.
struct Ranked {
  unsigned flip;   // all ones: descending
  unsigned clear;  // all ones: without the sign

  static Ranked by(Comparison c) {
    return {c == Comparison::descending ? ~0u : 0u, c == Comparison::magnitude ? ~0u : 0u};
  }
  __device__ __forceinline__ unsigned rank(int key) const {
    const unsigned sign = unsigned(key >> 31) & clear;
    return (((unsigned(key) ^ sign) - sign) ^ (~clear & 0x80000000u)) ^ flip;
  }
  __device__ __forceinline__ unsigned rank(float key) const {
    unsigned bits = __float_as_uint(key) & ~(clear & 0x80000000u);
    bits = bits == 0x80000000u ? 0 : bits;
    const unsigned ordered = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    return (key != key ? ~0u : ordered) ^ flip;
  }
  template <class T>
  __device__ __forceinline__ unsigned rank(T key) const {
    return rank(to_float(key));
  }
  template <class T>
  __device__ __forceinline__ T last() const {
    if constexpr (std::is_same_v<T, int>)
      return flip | clear ? std::numeric_limits<int>::min() : std::numeric_limits<int>::max();
    else
      return from_float<T>(flip ? -INFINITY : NAN);
  }
};

// f(tag of the type, order)
template <class F>
void dispatch_order(DType dtype, Comparison by, F&& f) {
  if (dtype == DType::i32 && by == Comparison::ascending) return f(Tag<int>{}, AsIs{});
  dispatch<int, float, __half, __nv_bfloat16>(dtype, [&](auto tag) { f(tag, Ranked::by(by)); });
}

}  // namespace warpath
