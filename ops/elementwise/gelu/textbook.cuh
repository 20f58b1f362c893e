// GELU as its definition says, with the functions of CUDA's math library.
#pragma once
#include "ops/elementwise/gelu/gelu.h"

namespace warpath::gelu {

struct ByErf {
  static __device__ __forceinline__ float forward(float x) {
    return 0.5f * x * (1 + erff(0.70710678f * x));
  }
  static __device__ __forceinline__ float slope(float x) {
    const float below = 0.5f * (1 + erff(0.70710678f * x));
    return below + x * (0.39894228f * expf(-0.5f * x * x));
  }
};

struct ByTanh {
  static constexpr float root = 0.79788456f;  // of 2 / pi
  static constexpr float cubic = 0.044715f;

  static __device__ __forceinline__ float tanh_of(float x) {
    return tanhf(root * (x + cubic * x * x * x));
  }
  static __device__ __forceinline__ float forward(float x) { return 0.5f * x * (1 + tanh_of(x)); }
  static __device__ __forceinline__ float slope(float x) {
    const float t = tanh_of(x);
    const float square = fminf(x * x, 1e4f);  // beyond, 1 - t * t is 0, and must not meet infinity
    return 0.5f * (1 + t) + 0.5f * x * (1 - t * t) * (root * (1 + 3 * cubic * square));
  }
};

// f(ByErf{}) or f(ByTanh{}).
template <class F>
void with_form(Approximate approximate, F&& f) {
  if (approximate == Approximate::tanh)
    f(ByTanh{});
  else
    f(ByErf{});
}

}  // namespace warpath::gelu
