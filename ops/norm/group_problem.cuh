// The arguments of group, instance and batch norm as kernels take them. W: the type of weight and bias.
#pragma once
#include "ops/norm/activation.cuh"
#include "ops/norm/floats.cuh"
#include "ops/norm/group_shape.h"

namespace warpath::norm {

// z = (x - mean) * scale + bias.
struct Affine {
  float mean, scale, bias;
  __device__ __forceinline__ float operator()(float x) const { return (x - mean) * scale + bias; }
};

// Of channel `c` of all channels; a missing weight is 1, a missing bias 0.
template <class W>
__device__ __forceinline__ float weight_of(const W* weight, std::int64_t c) {
  return weight ? to_float(weight[c]) : 1.0f;
}
template <class W>
__device__ __forceinline__ float bias_of(const W* bias, std::int64_t c) {
  return bias ? to_float(bias[c]) : 0.0f;
}

template <class T, class W = T>
struct GroupForward {
  const T* x;
  const W *weight, *bias;  // may be null
  T* y;
  float *means, *rstds;  // may be null
  float eps;
  Activation activation;
  GroupShape shape;
  // Of batch norm: the running statistics before and after this batch; each may be null.
  const float *running_mean = nullptr, *running_var = nullptr;
  float *new_mean = nullptr, *new_var = nullptr;
  float momentum = 0;

  // By one thread per group. squares: the sum of (x - mean)^2. A group without elements has mean 0 and
  // variance 0, and leaves the running statistics as they are. Returns rstd.
  __device__ __forceinline__ float keep(std::int64_t group, float mean, float squares) const {
    const float n = float(shape.group_size());
    const float variance = n > 0.0f ? squares / n : 0.0f;
    const float rstd = rsqrtf(variance + eps), part = n > 0.0f ? momentum : 0.0f;
    if (means) means[group] = mean;
    if (rstds) rstds[group] = rstd;
    if (new_mean) {
      const float old = running_mean ? running_mean[group] : 0.0f;
      new_mean[group] = (1 - part) * old + part * mean;
    }
    if (new_var) {  // n / (n - 1): the unbiased estimate
      const float old = running_var ? running_var[group] : 1.0f;
      new_var[group] = (1 - part) * old + part * (squares / fmaxf(n - 1, 1.0f));
    }
    return rstd;
  }
  __device__ __forceinline__ Affine affine(float mean, float rstd, std::int64_t channel) const {
    return {mean, rstd * weight_of(weight, channel), bias_of(bias, channel)};
  }
};

template <class T, class W = T>
struct GroupBackward {
  const T *x, *dy;
  const float *means, *rstds;
  const W *weight, *bias;  // may be null; the bias is needed for the activation's slope
  T* dx;
  W *dweight, *dbias;  // may be null
  Activation activation;
  GroupShape shape;

  __device__ __forceinline__ Affine affine(std::int64_t group, std::int64_t channel) const {
    return {means[group], rstds[group] * weight_of(weight, channel), bias_of(bias, channel)};
  }
};

// dx = rstd * (dz * weight - sum - n * dot) as dz * z.scale + shift + (x - z.mean) * slope. The two sums are
// the means over the group of dz * weight and of dz * weight * n.
struct InputGradient {
  Affine z;
  float shift, slope;
  static __device__ __forceinline__ InputGradient of(Affine z, float rstd, float2 sums) {
    return {z, -rstd * sums.x, -rstd * rstd * sums.y};
  }
  template <class A>
  __device__ __forceinline__ float operator()(float x, float dy, A activation) const {
    const float dz = activation.gradient(dy, z(x));
    return dz * z.scale + (shift + (x - z.mean) * slope);
  }
};

}  // namespace warpath::norm
