// How fast the pairs of a head turn in rotary position embedding: frequency(i) = base^(-i / pairs), and Llama 3's scaling of it.
#pragma once
#include <cmath>

namespace warpath::rope {

struct Scaling {
  double base, factor, low, high, original_max_position;
};

// Radians per position. In double: at position 100000 a float's rounding of it is 0.006 radians.
__host__ __device__ inline double frequency(const Scaling& s, int pair, int pairs) {
  const double f = pow(s.base, -double(pair) / pairs);
  if (s.factor == 1) return f;
  const double turns = s.original_max_position * f / (2 * 3.14159265358979323846);
  const double smooth = fmin(fmax((turns - s.low) / (s.high - s.low), 0.0), 1.0);
  return f * (smooth + (1 - smooth) / s.factor);
}

}  // namespace warpath::rope
