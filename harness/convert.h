// Numbers between float64, in which the harness thinks, and the types kernels work in.
#pragma once
#include <cstdint>

#include "core/dtype.h"

namespace warpath::harness {

// Rounded to nearest, ties to even, once: straight from float64, never by way of f32. Integers saturate.
void encode(const double* from, DType dtype, void* to, std::int64_t n);
void decode(const void* from, DType dtype, double* to, std::int64_t n);

// Positions: never through float64, which holds only 53 bits.
void encode_index(const std::int64_t* from, DType dtype, void* to, std::int64_t n);
void decode_index(const void* from, DType dtype, std::int64_t* to, std::int64_t n);

double round_to(double x, DType dtype);

// The distance between neighbours of the dtype around x; in the subnormal range that of the smallest ones. 1 for
// integers.
double ulp(double x, DType dtype);

double largest(DType dtype);          // finite
double smallest_normal(DType dtype);  // 1 for integers
double smallest(DType dtype);         // subnormal; 1 for integers

}  // namespace warpath::harness
