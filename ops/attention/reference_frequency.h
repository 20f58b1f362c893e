// The frequency of a pair as the references of rope and cache_write have it, in radians per position. Host only.
#pragma once
#include <cmath>
#include <cstdint>
#include <numbers>

namespace warpath::rope {

template <class Args>
double reference_frequency(const Args& args, std::int64_t i, std::int64_t rotary_dim) {
  const double f =
      std::pow(args.base, -2.0 * static_cast<double>(i) / static_cast<double>(rotary_dim));
  if (args.factor == 1) return f;
  const double turns = static_cast<double>(args.original_max_position) * f / (2 * std::numbers::pi);
  const double low = args.low_freq_factor, high = args.high_freq_factor;
  if (turns > high) return f;
  if (turns < low) return f / args.factor;
  const double smooth = (turns - low) / (high - low);
  return (1 - smooth) * f / args.factor + smooth * f;
}

}  // namespace warpath::rope
