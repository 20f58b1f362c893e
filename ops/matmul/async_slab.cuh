// A tile of an f32 operand in shared memory with k as the slow axis, filled by cp.async.
#pragma once
#include "core/ptx/cp_async.cuh"
#include "layout.cuh"

namespace warpath::matmul {

template <int Outer, int Depth, int Threads>
struct AsyncSlab {
  // Eight neighbours along k of four rows, copied by one warp, fall into 32 different banks.
  static constexpr int pitch = Outer + 4;
  float at[Depth][pitch];

  __device__ __forceinline__ Vector<float, 4> four(int l, int i) const {
    return load<4>(&at[l][i]);
  }

  // Zeros outside of the matrix.
  template <bool AlongK>
  __device__ __forceinline__ void fetch(const Operand<float, AlongK>& x, std::int64_t i0,
                                        std::int64_t l0) {
    const int t = threadIdx.x;
    if constexpr (AlongK) {
      // Two stretches of 8 along k, as wide as a 32-byte sector each.
      constexpr int rows = Threads / 8;
      const float* const from = x.at(i0 + t / 8, l0 + t % 8);
      const std::uint32_t to = ptx::shared_address(&at[t % 8][t / 8]);
#pragma unroll
      for (int q = 0; q < Outer / rows; ++q)
#pragma unroll
        for (int h = 0; h < Depth / 8; ++h)
          ptx::copy_async<4>(to + (h * 8 * pitch + q * rows) * 4, from + q * rows * x.pitch + h * 8,
                             i0 + t / 8 + q * rows < x.size && l0 + t % 8 + h * 8 < x.k);
    } else if (x.vectors) {
      constexpr int vectors = Outer / 4, rows = Threads / vectors;
      const std::int64_t i = i0 + t % vectors * 4;
#pragma unroll
      for (int q = 0; q < Depth / rows; ++q) {
        const int l = t / vectors + q * rows;
        const std::uint32_t to = ptx::shared_address(&at[l][t % vectors * 4]);
        if (i + 4 <= x.size || i >= x.size) {
          ptx::copy_async<16>(to, x.at(i, l0 + l), i < x.size && l0 + l < x.k);
        } else {  // across the edge
          for (int e = 0; e < 4; ++e)
            ptx::copy_async<4>(to + e * 4, x.at(i + e, l0 + l), i + e < x.size && l0 + l < x.k);
        }
      }
    } else {
#pragma unroll 4
      for (int q = 0; q < Outer * Depth / Threads; ++q) {
        const int v = t + q * Threads, i = v % Outer, l = v / Outer;
        ptx::copy_async<4>(ptx::shared_address(&at[l][i]), x.at(i0 + i, l0 + l),
                           i0 + i < x.size && l0 + l < x.k);
      }
    }
  }
};

}  // namespace warpath::matmul
