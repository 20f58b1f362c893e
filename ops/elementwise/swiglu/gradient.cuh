// The gradients of silu(gate) * up at one element.
#pragma once
#include "ops/elementwise/sigmoid.cuh"
#include "ops/elementwise/swiglu/swiglu.h"

namespace warpath::swiglu {

// dgate and dup.
struct Gradient {
  __device__ __forceinline__ float2 operator()(float gate, float up, float dy) const {
    const float s = pointwise::sigmoid(gate);
    return {dy * up * (s * (1 + gate * (1 - s))), dy * (gate * s)};
  }
};

}  // namespace warpath::swiglu
