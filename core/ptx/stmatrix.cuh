// Matrices of 8 x 8 16-bit elements from a warp's registers to shared memory (Hopper): the inverse
// of ldmatrix.
#pragma once
#include "core/ptx/address.cuh"

namespace warpath::ptx {

// Four matrices; lane l gives the address of row l % 8 of matrix l / 8, aligned to 16 bytes. Word i
// of a lane holds elements 2 * (lane % 4) and the next of row lane / 4 of matrix i: the layout of
// the tensor cores' accumulators.
__device__ __forceinline__ void store_matrices(void* row, const std::uint32_t (&words)[4]) {
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(row)),
      "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3])
      : "memory");
}

}  // namespace warpath::ptx
