// Two normal numbers from two random words (Box and Muller): a random radius, a random angle.
#pragma once
#include "core/ptx/log2.cuh"
#include "core/ptx/sqrt.cuh"
#include "ops/random/words.h"

namespace warpath {

struct NormalPair {
  float first, second;
};

// By the library's functions, each within about an ulp.
__device__ __forceinline__ NormalPair accurate_normal_pair(std::uint32_t a, std::uint32_t b) {
  const float radius = sqrtf(-2 * logf(uniform_above_zero(a)));
  float sine, cosine;
  sincospif(half_turns(b), &sine, &cosine);
  return {radius * cosine, radius * sine};
}

// By the special function unit: four of its instructions and six others. The absolute errors of a sine (2^-20.5 up to
// pi) and of a logarithm near 1 (2^-22) stay: what a normal number with a small radius loses is a matter of its fourth
// digit, and never more than 0.0006.
__device__ __forceinline__ NormalPair quick_normal_pair(std::uint32_t a, std::uint32_t b) {
  constexpr float ln_2 = 0.693147181f, pi = 3.141592654f;
  // The sign is taken away, not changed: an error must not make a root of a negative number.
  const float radius = ptx::sqrt(fabsf(2 * ln_2 * ptx::log2(uniform_above_zero(a))));
  float sine, cosine;
  __sincosf(pi * half_turns(b), &sine, &cosine);
  return {radius * cosine, radius * sine};
}

}  // namespace warpath
