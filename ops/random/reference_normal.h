// Normal numbers in float64 from the same words: what the kernels of this family are judged by.
#pragma once
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/thread/philox.cuh"
#include "ops/random/words.h"

namespace warpath {

struct ReferenceNormal {
  double value;
  // What an error is measured against. A radius r is off by a few units of r, and by the logarithm's absolute error
  // over r: 1.4 * 2^-23 / r, but never by more than 0.0006, the radius at which that logarithm is all error. The sine's
  // absolute error of 2^-20.5 counts r times. With 8 units of 2^-23 for this scale all of it is covered.
  double scale;
};

// Element i of a tensor: pairs are elements 4g, 4g + 1 and 4g + 2, 4g + 3, from call g of the generator.
inline ReferenceNormal reference_normal(std::int64_t i, std::uint64_t seed, std::uint64_t offset) {
  const PhiloxWords words = philox(philox_counter(static_cast<std::uint64_t>(i / 4), offset), seed);
  const std::uint32_t a = words.at[i % 4 / 2 * 2], b = words.at[i % 4 / 2 * 2 + 1];
  const double radius = std::sqrt(-2 * std::log(static_cast<double>(uniform_above_zero(a))));
  const double angle = std::numbers::pi * static_cast<double>(half_turns(b));
  return {radius * (i % 2 ? std::sin(angle) : std::cos(angle)),
          radius + 1 / std::max(radius, 0x1p-10)};
}

inline constexpr double normal_f32_ulps = 8;

}  // namespace warpath
