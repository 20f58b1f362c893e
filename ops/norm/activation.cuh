// The activation behind a norm, and its slope. No activation and ReLU are one function: z, but not below a floor.
#pragma once
#include "core/ptx/exp2.cuh"
#include "core/ptx/reciprocal.cuh"
#include "ops/norm/activation.h"

namespace warpath::norm {

// As written on paper.
__device__ __forceinline__ float activate(float z, Activation a) {
  if (a == Activation::silu) return z / (1 + expf(-z));
  return a == Activation::relu && z < 0.0f ? 0.0f : z;
}
// dy times the slope at z. A NaN passes, as in PyTorch.
__device__ __forceinline__ float activation_gradient(float dy, float z, Activation a) {
  if (a == Activation::silu) {
    const float s = 1 / (1 + expf(-z));
    return dy * (s * (1 + z * (1 - s)));
  }
  return a == Activation::relu && z <= 0.0f ? 0.0f : dy;
}

// For the inner loops: a product, ex2, an addition and rcp. Results below 2^-126 become zero.
__device__ __forceinline__ float short_sigmoid(float z) {
  constexpr float log2_e = 1.44269504f;
  return ptx::reciprocal(1 + ptx::exp2(-log2_e * z));
}

struct Floor {
  float floor;
  __device__ __forceinline__ float value(float z) const { return z < floor ? floor : z; }
  __device__ __forceinline__ float gradient(float dy, float z) const {
    return z <= floor ? 0.0f : dy;
  }
};
struct Silu {
  __device__ __forceinline__ float value(float z) const { return z * short_sigmoid(z); }
  __device__ __forceinline__ float gradient(float dy, float z) const {
    const float s = short_sigmoid(z);
    return dy * (s * (1 + z * (1 - s)));
  }
};

// f(Floor or Silu): one branch around a loop, not one per element.
template <class F>
__device__ __forceinline__ void with_activation(Activation a, F f) {
  if (a == Activation::silu)
    f(Silu{});
  else
    f(Floor{a == Activation::relu ? 0.0f : -INFINITY});
}

}  // namespace warpath::norm
