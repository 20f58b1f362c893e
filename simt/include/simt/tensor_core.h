#pragma once

// The arithmetic of tensor cores as the hardware does it, for who wants its very bits.

#include <simt/tensor_map.h>

namespace simt {

// SIMT_TENSOR_CORES=exact chooses it.
bool tensor_cores_are_exact();

// d[16][n] += a[16][k] * b[k][n]. All products and d are cut off at the same bit, as far below the
// largest exponent as the type's sums reach, added exactly, and cut off to a float. Slow.
void multiply_exact(float* d, const float* a, const float* b, unsigned n, unsigned k,
                    Element element, bool half_sum);

}  // namespace simt
