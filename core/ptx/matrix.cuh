// Loads of 8x8 matrices from shared memory to the registers of a warp, as mma.sync wants them.
#pragma once
#include <cstdint>

namespace warpath::ptx {

// Four matrices of eight 16-byte rows. Lanes 0-7 give the addresses of the rows of the first, 8-15
// those of the second and so on. Lane i gets 4 bytes of each: row i / 4, bytes 4 * (i % 4) on.
__device__ __forceinline__ void load_matrices(std::uint32_t (&to)[4], std::uint32_t row_address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(row_address)
               : "memory");
}

// The same, each matrix of 16-bit elements transposed on the way.
__device__ __forceinline__ void load_matrices_transposed(std::uint32_t (&to)[4],
                                                         std::uint32_t row_address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(row_address)
               : "memory");
}

}  // namespace warpath::ptx
