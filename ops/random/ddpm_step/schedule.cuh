// The factors of a sample's step, from its place in the schedule.
#pragma once
#include <cmath>

#include "core/thread/philox.cuh"
#include "ops/random/ddpm_step/ddpm_step.h"
#include "ops/random/normal.cuh"

namespace warpath::ddpm_step {

// A tensor of indices, of either type.
struct Indices {
  const void* data;
  bool wide;

  static Indices of(const Tensor& t) { return {t.data, t.dtype == DType::i64}; }
  __device__ __forceinline__ std::int64_t operator[](std::int64_t i) const {
    return wide ? static_cast<const std::int64_t*>(data)[i]
                : static_cast<const std::int32_t*>(data)[i];
  }
};

// Key: the seed, or PhiloxKeys made from it. As in the op `noise`.
template <class Key>
struct Normals {
  Key key;
  std::uint64_t offset;

  // Elements 4 * group to 4 * group + 3 of the tensor. Quick: by the special function unit.
  template <bool Quick>
  __device__ __forceinline__ void four(float (&z)[4], std::int64_t group) const {
    const PhiloxWords words = philox(philox_counter(std::uint64_t(group), offset), key);
#pragma unroll
    for (int k = 0; k < 4; k += 2) {
      const NormalPair pair = Quick ? quick_normal_pair(words.at[k], words.at[k + 1])
                                    : accurate_normal_pair(words.at[k], words.at[k + 1]);
      z[k] = pair.first;
      z[k + 1] = pair.second;
    }
  }
};

// Of ddpm_noise.
struct Mix {
  float signal, noise;

  static __device__ __forceinline__ Mix of(float a) { return {sqrtf(a), sqrtf(1 - a)}; }
  __device__ __forceinline__ float operator()(float x0, float z) const {
    return signal * x0 + noise * z;
  }
};

// What a launch of ddpm_step knows of all samples.
struct Schedule {
  const float* alpha_bar;
  Indices t, previous;  // previous.data may be null
  bool ddim;
  float eta, eta_squared, rest;  // rest = 1 - eta^2, by the host in double
  float clip;

  static Schedule of(const Step& args) {
    check_step(args);
    const double squared = args.eta * args.eta;
    return {
        args.alpha_bar.as<float>(),      Indices::of(args.t),
        Indices::of(args.previous),      args.sampler == Sampler::ddim,
        static_cast<float>(args.eta),    static_cast<float>(squared),
        static_cast<float>(1 - squared), args.clip > 0 ? static_cast<float>(args.clip) : INFINITY};
  }
};

// Of ddpm_step.
struct Factors {
  float unscale, spread;  // x0 = (x - spread eps) unscale
  float of_x0, of_other;  // the other is x for ddpm and eps for ddim
  float sigma, clip;
  bool ddim;

  // No difference of rounded numbers: alpha_bar of two neighbouring steps differ in their last digits, and what is
  // subtracted here comes from the table as it is.
  static __device__ __forceinline__ Factors of(const Schedule& s, std::int64_t sample) {
    const std::int64_t t = s.t[sample], before = s.previous.data ? s.previous[sample] : t - 1;
    const float a = s.alpha_bar[t], b = before < 0 ? 1.0f : s.alpha_bar[before];
    const float noisy = 1 - a, left = 1 - b, beta = (b - a) / b, share = left / noisy;
    const float sigma = sqrtf(fmaxf(beta * share, 0));
    Factors f;
    f.unscale = 1 / sqrtf(a);
    f.spread = sqrtf(noisy);
    f.clip = s.clip;
    f.ddim = s.ddim;
    if (s.ddim) {
      // 1 - b - (eta s)^2, with 1 - beta / (1 - a) written as a product.
      f.of_x0 = sqrtf(b);
      f.of_other = sqrtf(left * (s.rest + s.eta_squared * (a * share / b)));
      f.sigma = s.eta * sigma;
    } else {
      f.of_x0 = sqrtf(b) * beta / noisy;
      f.of_other = sqrtf(a / b) * share;
      f.sigma = sigma;
    }
    return f;
  }
  // Without its noise.
  __device__ __forceinline__ float mean(float x, float eps) const {
    float x0 = (x - spread * eps) * unscale;
    x0 = x0 > clip ? clip : x0 < -clip ? -clip : x0;  // NaN stays
    return of_x0 * x0 + of_other * (ddim ? eps : x);
  }
};

}  // namespace warpath::ddpm_step
