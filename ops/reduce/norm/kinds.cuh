// What the rungs of norm share: what an element adds, how two parts are joined, and what becomes of the sum.
#pragma once
#include "ops/reduce/accumulate.cuh"
#include "ops/reduce/norm/norm.h"
#include "ops/reduce/stretch.cuh"

namespace warpath::norm {

struct Square {
  using Op = Sum;
  __device__ __forceinline__ float operator()(float x) const { return x * x; }
  __device__ __forceinline__ float finish(float sum) const { return sqrtf(sum); }
};
struct Magnitude {
  using Op = Sum;
  __device__ __forceinline__ float operator()(float x) const { return fabsf(x); }
  __device__ __forceinline__ float finish(float sum) const { return sum; }
};
// Magnitudes are never below zero, so the largest of none is zero.
struct MaxFromZero : Max {
  template <class T>
  static __device__ __forceinline__ T identity() {
    return T(0);
  }
};
struct Largest {
  using Op = MaxFromZero;
  __device__ __forceinline__ float operator()(float x) const { return fabsf(x); }
  __device__ __forceinline__ float finish(float largest) const { return largest; }
};
// |x|^p = 2^(p log2 |x|): zero stays zero and infinity stays infinity for p > 0.
struct Power {
  using Op = Sum;
  float p;
  __device__ __forceinline__ float operator()(float x) const { return exp2f(p * log2f(fabsf(x))); }
  __device__ __forceinline__ float finish(float sum) const { return exp2f(log2f(sum) / p); }
};

// f(Tag<T>, kind)
template <class F>
void dispatch_norm(const Args& args, F&& f) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    switch (args.kind) {
      case Kind::two:
        return f(tag, Square{});
      case Kind::one:
        return f(tag, Magnitude{});
      case Kind::infinity:
        return f(tag, Largest{});
      case Kind::power:
        return f(tag, Power{static_cast<float>(args.p)});
    }
  });
}

// The source of a stretch of a row.
template <class T, class K>
using Terms = reduce::Elements<T, typename K::Op, K>;

inline std::string in_rows(const Args& args) {
  return args.x.is_contiguous() ? "" : "takes rows without gaps";
}

inline constexpr int threads = reduce::threads, blocks_an_sm = reduce::blocks_an_sm;

}  // namespace warpath::norm
