#pragma once

// The arithmetic of tensor cores, on tiles of 16 rows.

#include <simt/tensor_core.h>
#include <simt/tensor_map.h>

#include <cstdint>

namespace simt {

// d[16][n] += a[16][k] * b[k][n]. Products of small floats are exact in float; their sums are
// rounded one after the other.
void multiply_quick(float* d, const float* a, const float* b, unsigned n, unsigned k);
void multiply_whole(std::int32_t* d, const std::int32_t* a, const std::int32_t* b, unsigned n,
                    unsigned k, bool saturates);
// Converts so many elements of two bytes (of one byte) to floats.
void widen_halves(float* to, const unsigned short* from, unsigned count, Element element);
void widen_bytes(float* to, const unsigned char* from, unsigned count, Element element);

}  // namespace simt
