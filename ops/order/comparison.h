// By what keys are ordered, for the ops that merge and sort. Equal keys keep their order; NaN is larger than every number, -0
// equals 0.
#pragma once
#include <cmath>

namespace warpath {

enum class Comparison : int {
  ascending,
  descending,
  magnitude  // by the absolute value, ascending
};

// On the host: whether a comes before b.
inline bool comes_before(Comparison by, double a, double b) {
  if (by == Comparison::magnitude) a = std::abs(a), b = std::abs(b);
  if (by == Comparison::descending) return std::isnan(a) ? !std::isnan(b) : a > b;
  return std::isnan(b) ? !std::isnan(a) : a < b;
}

}  // namespace warpath
