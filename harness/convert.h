// Conversions between float64, in which the harness computes, and the types of the kernels.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/host/dtype.h"

namespace warpath::harness {

// Rounded once, to nearest, ties to even: directly from float64, never by way of f32. Integers
// saturate.
void encode(const double* from, DType dtype, void* to, std::int64_t n);
void decode(const void* from, DType dtype, double* to, std::int64_t n);

// Positions: never through float64, which holds only 53 bits.
void encode_index(const std::int64_t* from, DType dtype, void* to, std::int64_t n);
void decode_index(const void* from, DType dtype, std::int64_t* to, std::int64_t n);

double round_to(double x, DType dtype);

// The distance between neighbouring values of the dtype around x; in the subnormal range, the
// smallest subnormal. 1 for integers.
double ulp(double x, DType dtype);

// The same for many numbers of one float type: the exponent is taken from the bits, without a call.
class UlpOf {
 public:
  explicit UlpOf(DType dtype);
  double operator()(double x) const {
    const double power =
        std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0x7FF0000000000000u);
    return std::clamp(power, floor_, ceiling_) * step_;
  }

 private:
  double floor_, ceiling_, step_;
};

double largest(DType dtype);          // finite
double smallest_normal(DType dtype);  // 1 for integers
double smallest(DType dtype);         // subnormal; 1 for integers

}  // namespace warpath::harness
