// The comparison of a kernel's output with the float64 reference. It reports where, what, what was
// expected and what was allowed. It must not be compiled with fast-math, which may assume that
// there are no NaNs.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/host/case.h"
#include "core/host/dtype.h"

#ifdef __FAST_MATH__
#error "the comparison cannot see NaN under fast-math"
#endif

namespace warpath::harness {

struct Verdict {
  bool passed = true;
  std::string reason;    // empty when passed
  double error = 0;      // at the element that comes nearest to its bound, or most exceeds it
  double allowed = 0;    // the bound there
  double ratio = 0;      // error / allowed; infinite for NaN in the wrong place
  double largest = 0;    // error of all elements
  std::int64_t bad = 0;  // elements out of bounds
  std::int64_t judged =
      0;  // elements compared with the reference; of the others, that they are finite
  std::int64_t elements = 0;
  std::int64_t index = -1;  // of the worst element, linear
  int output = -1;          // which of the plan's tensors, where there are several
};

struct Expected {
  std::string name;  // of the output
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  const double* reference = nullptr;  // exact, not rounded to the dtype
  // What an error is measured against; NaN or null: |reference|. Elements that are not_judged must only be finite.
  const double* scale = nullptr;
  Tolerance tolerance;
};

// 1. NaN and infinity must be where they belong. At the edge of overflow, both the largest number
// and infinity are right.
// 2. |got - reference| <= out_ulps * ulp(reference) + f32_ulps * 2^-23 * scale. The bound is never
// less than the smallest normal f32, because a GPU may flush subnormals. An out_ulps of 0 without
// f32_ulps requires equality.
Verdict compare(const Expected& expected, const void* got);

// Positions are right or wrong.
Verdict compare_index(const std::string& name, DType dtype, const std::vector<std::int64_t>& shape,
                      const std::int64_t* reference, const void* got);

// "y[3,17]"
std::string element_name(const std::string& name, const std::vector<std::int64_t>& shape,
                         std::int64_t index);

}  // namespace warpath::harness
