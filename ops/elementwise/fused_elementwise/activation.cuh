// The activations, of a few numbers at once: one test of the choice for all of them.
#pragma once
#include "ops/elementwise/fused_elementwise/fused_elementwise.h"
#include "ops/elementwise/sigmoid.cuh"

namespace warpath::fused_elementwise {

template <int N>
__device__ __forceinline__ void activate(float (&v)[N], Activation activation) {
  switch (activation) {
    case Activation::none:
      return;
    case Activation::relu:
#pragma unroll
      for (int k = 0; k < N; ++k) v[k] = v[k] <= 0 ? 0 : v[k];
      return;
    case Activation::gelu:  // by tanh: see short.cuh of gelu
#pragma unroll
      for (int k = 0; k < N; ++k)
        v[k] *= pointwise::sigmoid(v[k] * (1.59576912f + 0.0713548163f * (v[k] * v[k])));
      return;
    case Activation::silu:
#pragma unroll
      for (int k = 0; k < N; ++k) v[k] *= pointwise::sigmoid(v[k]);
      return;
  }
}

__device__ __forceinline__ float activated(float v, Activation activation) {
  float one[1] = {v};
  activate(one, activation);
  return one[0];
}

}  // namespace warpath::fused_elementwise
