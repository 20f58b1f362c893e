// GELU in few instructions: no erf and no tanh, only powers of two and reciprocals.
#pragma once
#include "ops/elementwise/gelu/gelu.h"
#include "ops/elementwise/normal.cuh"
#include "ops/elementwise/sigmoid.cuh"

namespace warpath::gelu {

// By the normal distribution of normal.cuh.
template <class T>
struct ShortErf {
  __device__ __forceinline__ float operator()(float x) const {
    return x * pointwise::normal<T>(x).below;
  }
  __device__ __forceinline__ float operator()(float x, float dy) const {
    // With the precision of float for 16 bits too: near x = -0.75 the two terms cancel.
    const pointwise::Normal n = pointwise::normal<float>(x);
    return dy * (n.below + x * (0.39894228f * n.power));
  }
};

// (1 + tanh(u)) / 2 = sigmoid(2 u), with 2 u = x * (a + b x^2).
struct ShortTanh {
  static constexpr float a = 1.59576912f, b = 0.0713548163f;

  __device__ __forceinline__ float operator()(float x) const {
    return x * pointwise::sigmoid(x * (a + b * (x * x)));
  }
  __device__ __forceinline__ float operator()(float x, float dy) const {
    const float s = pointwise::sigmoid(x * (a + b * (x * x)));
    const float square =
        fminf(x * x, 1e4f);  // beyond, s * (1 - s) is 0, and must not meet infinity
    return dy * (s + x * s * (1 - s) * (a + 3 * b * square));
  }
};

}  // namespace warpath::gelu
