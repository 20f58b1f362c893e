// The arithmetic of one step, for one weight, and its constants.
#pragma once
#include <cmath>

#include "core/host/dispatch.cuh"
#include "core/thread/convert.cuh"
#include "ops/optimizer/adamw/adamw.h"

namespace warpath::adamw {

struct Step {
  float decay;  // lr * weight_decay
  float beta1, rest1, beta2, rest2, size, root, eps;
  const float *decays, *grad_scale, *lr_step;  // null where they are left out
  float weight_decay, log_beta1, log_beta2;    // what lr_step needs

  // The constants are computed in double: 1 - beta2 would lose half of its bits in float.
  static Step of(const Args& a) {
    const auto power = [&](double beta) { return 1 - std::pow(beta, double(a.step)); };
    return {float(a.lr * a.weight_decay),
            float(a.beta1),
            float(1 - a.beta1),
            float(a.beta2),
            float(1 - a.beta2),
            float(a.lr / power(a.beta1)),
            float(1 / std::sqrt(power(a.beta2))),
            float(a.eps),
            a.decay.as<float>(),
            a.grad_scale.as<float>(),
            a.lr_step.as<float>(),
            float(a.weight_decay),
            float(std::log(a.beta1)),
            float(std::log(a.beta2))};
  }

  // With the rate and the step of this launch where they lie in memory. 1 - beta^n as -expm1(n log(beta)) keeps its bits in
  // float, too: nothing of about 1 is subtracted from 1.
  __device__ __forceinline__ Step now() const {
    Step s = *this;
    if (lr_step == nullptr) return s;
    const float lr = lr_step[0], n = lr_step[1];
    s.decay = lr * weight_decay;
    s.size = lr / -expm1f(n * log_beta1);
    s.root = 1 / sqrtf(-expm1f(n * log_beta2));
    return s;
  }

  __device__ __forceinline__ float scale() const { return grad_scale ? *grad_scale : 1.0f; }
  // What weight decay leaves of a weight of tensor `index`.
  __device__ __forceinline__ float keep(int index) const {
    return 1 - decay * (decays ? decays[index] : 1.0f);
  }
  __device__ __forceinline__ void update(float& p, float g, float& m, float& v, float keep) const {
    m = beta1 * m + rest1 * g;
    v = beta2 * v + rest2 * (g * g);
    p = keep * p - size * (m / (sqrtf(v) * root + eps));
  }
};

// The arrays of one tensor; `master` may be null.
template <class T>
struct Arrays {
  T* p;
  const T* g;
  float *m, *v, *master;

  __device__ __forceinline__ void update(std::int64_t i, const Step& step, float scale,
                                         float keep) const {
    float weight = master ? master[i] : to_float(p[i]);
    step.update(weight, scale * to_float(g[i]), m[i], v[i], keep);
    if (master) master[i] = weight;
    p[i] = from_float<T>(weight);
  }
};

}  // namespace warpath::adamw
