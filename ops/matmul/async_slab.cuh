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

  // Zeros outside of the matrix. A tile that lies inside of it asks nothing about edges: those
  // questions would be instructions in the way of multiplications.
  template <bool AlongK>
  __device__ __forceinline__ void fetch(const Operand<float, AlongK>& x, std::int64_t i0,
                                        std::int64_t l0) {
    const bool whole = i0 + Outer <= x.size && l0 + Depth <= x.k;
    if (whole && AlongK)
      fetch_turned(x.at(i0, l0), x.pitch);
    else if (whole && x.vectors)
      fetch_vectors(x.at(i0, l0), x.pitch);
    else
      fetch_edge(x, i0, l0);
  }

 private:
  // A warp copies 8 neighbours along k, a 32-byte sector, of 4 rows.
  __device__ __forceinline__ void fetch_turned(const float* x, std::int64_t row) {
    constexpr int rows = Threads / 8;
    const int t = threadIdx.x;
    const float* from = x + t / 8 * row + t % 8;
    const std::uint32_t to = ptx::shared_address(&at[t % 8][t / 8]);
#pragma unroll
    for (int q = 0; q < Outer / rows; ++q, from += rows * row)
#pragma unroll
      for (int h = 0; h < Depth / 8; ++h)
        ptx::copy_async<4>(to + (h * 8 * pitch + q * rows) * 4, from + h * 8);
  }

  __device__ __forceinline__ void fetch_vectors(const float* x, std::int64_t row) {
    constexpr int vectors = Outer / 4, rows = Threads / vectors;
    const int l = threadIdx.x / vectors, i = threadIdx.x % vectors * 4;
    const float* from = x + l * row + i;
    const std::uint32_t to = ptx::shared_address(&at[l][i]);
#pragma unroll
    for (int q = 0; q < Depth / rows; ++q, from += rows * row)
      ptx::copy_async<16>(to + q * rows * pitch * 4, from);
  }

  template <bool AlongK>
  __device__ __forceinline__ void fetch_edge(const Operand<float, AlongK>& x, std::int64_t i0,
                                             std::int64_t l0) {
#pragma unroll 1
    for (int v = threadIdx.x; v < Outer * Depth; v += Threads) {
      const int i = AlongK ? v / Depth : v % Outer, l = AlongK ? v % Depth : v / Outer;
      ptx::copy_async<4>(ptx::shared_address(&at[l][i]), x.at(i0 + i, l0 + l),
                         i0 + i < x.size && l0 + l < x.k);
    }
  }
};

}  // namespace warpath::matmul
