// The normal distribution without erf: one power of two, one reciprocal, one polynomial.
#pragma once
#include <type_traits>

#include "core/ptx/exp2.cuh"
#include "core/ptx/reciprocal.cuh"

namespace warpath::pointwise {

// exp(-x^2 / 2), and the share of the normal distribution below x.
struct Normal {
  float power, below;
};

// The share beyond t = |x| is exp(-t^2 / 2) times a factor that changes slowly, from 1/2 at 0 like 1 / t
// further out. With k = 1 / (1 + p t), which runs from 1 to 0, that factor is k times a polynomial in k
// (Hastings' form; the coefficients minimise the largest relative error for t from 0 to 14). It keeps
// its relative precision in the tail, where 1 + erf(x) has only the rounding error of 1 left.
// Relative error: 2^-14.8 for results of 16 bits, 2^-25.9 for float.
template <class T>
__device__ __forceinline__ Normal normal(float x) {
  constexpr float root = 0.84932180f;  // of log2(e) / 2
  const float t = fabsf(x), u = root * x;
  const float power = ptx::exp2(-u * u);
  float factor;
  if constexpr (std::is_same_v<T, float>) {
    const float k = ptx::reciprocal(1 + 0.21f * t);
    factor = -0.0716563287f;
    factor = factor * k + 0.283588653f;
    factor = factor * k - 0.330253548f;
    factor = factor * k + 0.349401183f;
    factor = factor * k - 0.0939253223f;
    factor = factor * k + 0.124872777f;
    factor = factor * k + 0.0691921569f;
    factor = factor * k + 0.0850688599f;
    factor = factor * k + 0.0837115755f;
    factor *= k;
  } else {
    const float k = ptx::reciprocal(1 + 0.38f * t);
    factor = -0.0899287412f;
    factor = factor * k + 0.188877417f;
    factor = factor * k + 0.0919789517f;
    factor = factor * k + 0.157829734f;
    factor = factor * k + 0.151225110f;
    factor *= k;
  }
  const float beyond = power * factor;
  return {power, x > 0 ? 1 - beyond : beyond};
}

}  // namespace warpath::pointwise
