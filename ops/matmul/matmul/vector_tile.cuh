// A tile of an f32 operand by way of registers: 16 bytes per load from global memory, then to
// shared memory with k as the slow axis, whichever way it came. Used by rungs 06 and 07.
#pragma once
#include "ops/matmul/matmul/layout.cuh"

namespace warpath::matmul {

// Depth x Outer. The four floats behind each row keep 16-byte accesses aligned, and the stores of a
// transposed vector, four rows down, in different banks.
template <int Outer, int Depth>
struct Slab {
  float at[Depth][Outer + 4];

  __device__ __forceinline__ Vector<float, 4> four(int l, int i) const {
    return load<4>(&at[l][i]);
  }
};

template <int Outer, int Depth, int Threads, bool AlongK>
struct Carried {
  static constexpr int count = Outer * Depth / 4 / Threads;
  static_assert(count * 4 * Threads == Outer * Depth, "the same number of vectors a thread");
  Vector<float, 4> vector[count];

  // Vectors of a row of memory first, so that neighbouring threads read neighbours.
  static __device__ __forceinline__ int i_of(int q) {
    const int v = q * Threads + int(threadIdx.x);
    return AlongK ? v / (Depth / 4) : v % (Outer / 4) * 4;
  }
  static __device__ __forceinline__ int l_of(int q) {
    const int v = q * Threads + int(threadIdx.x);
    return AlongK ? v % (Depth / 4) * 4 : v / (Outer / 4);
  }

  // Zeros outside of the matrix.
  __device__ __forceinline__ void fetch(const Operand<float, AlongK>& x, std::int64_t i0,
                                        std::int64_t l0) {
#pragma unroll
    for (int q = 0; q < count; ++q) {
      const std::int64_t i = i0 + i_of(q), l = l0 + l_of(q);
      const std::int64_t left = i >= x.size || l >= x.k ? 0 : AlongK ? x.k - l : x.size - i;
      const float* const from = x.at(i, l);
      if (x.vectors && left >= 4) {
        vector[q] = load<4>(from);
      } else {
#pragma unroll
        for (int e = 0; e < 4; ++e) vector[q].at[e] = e < left ? from[e] : 0.0f;
      }
    }
  }

  __device__ __forceinline__ void put(Slab<Outer, Depth>& slab) const {
#pragma unroll
    for (int q = 0; q < count; ++q) {
      if constexpr (AlongK) {
#pragma unroll
        for (int e = 0; e < 4; ++e) slab.at[l_of(q) + e][i_of(q)] = vector[q].at[e];
      } else {
        store<4>(&slab.at[l_of(q)][i_of(q)], vector[q]);
      }
    }
  }
};

}  // namespace warpath::matmul
