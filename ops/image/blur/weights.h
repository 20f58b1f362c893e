// The weights along one axis, and what lies past the border: the same for the reference and the kernels.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "ops/image/blur/blur.h"

namespace warpath::blur {

// They add up to 1.
inline std::vector<double> weights(const Args& args) {
  const std::int64_t size = args.size, radius = size / 2;
  std::vector<double> w(static_cast<std::size_t>(size), 1.0 / static_cast<double>(size));
  if (args.kind == Kind::box) return w;
  const double given = args.sigma, half = static_cast<double>(size - 1) / 2;
  const double sigma = given > 0 ? given : 0.3 * (half - 1) + 0.8;
  double sum = 0;
  for (std::int64_t k = 0; k < size; ++k) {
    const auto d = static_cast<double>(k - radius);
    sum += w[static_cast<std::size_t>(k)] = std::exp(-d * d / (2 * sigma * sigma));
  }
  for (double& one : w) one /= sum;
  return w;
}

// Of bytes: 1 for a box; for a Gaussian in units of 1 / 4096, the middle one such that they add up to 4096. The sum of
// 4096^2 * 255 over both axes fits into 32 bits.
inline constexpr int unit_bits = 12;

inline std::vector<unsigned> byte_weights(const Args& args) {
  const std::vector<double> w = weights(args);
  std::vector<unsigned> q(w.size(), 1);
  if (args.kind == Kind::box) return q;
  int left = 1 << unit_bits;
  for (std::size_t k = 0; k < w.size(); ++k) {
    q[k] = static_cast<unsigned>(std::lround(std::ldexp(w[k], unit_bits)));
    left -= static_cast<int>(q[k]);
  }
  q[q.size() / 2] += static_cast<unsigned>(left);
  return q;
}

// Where pixel i of a line of n is found; -1: nowhere, it counts as zero.
constexpr int place(int i, int n, Border border) {
  if (i >= 0 && i < n) return i;
  if (border == Border::zero) return -1;
  if (border == Border::clamp) return i < 0 ? 0 : n - 1;
  if (n == 1) return 0;
  const int period = 2 * (n - 1);
  i = (i < 0 ? -i : i) % period;
  return i < n ? i : period - i;
}

}  // namespace warpath::blur
