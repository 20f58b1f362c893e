// The running maximum and sum of some elements, and how those of two parts are joined (the online
// softmax).
#pragma once
#include "core/block/reduce.cuh"
#include "core/ptx/exp2.cuh"
#include "core/thread/convert.cuh"

namespace warpath::softmax {

struct Stat {
  float max;  // of the elements
  float sum;  // of exp(element - max)
};

inline constexpr float log2_e = 1.4426950408889634f;

// exp(x - max) * 2^scale. A part of nothing but -inf subtracts 0, because -inf - -inf would be NaN.
__device__ __forceinline__ float exp_from(float x, float max, float scale = 0.0f) {
  return ptx::exp2(fmaf(x - (max == -INFINITY ? 0.0f : max), log2_e, scale));
}

__device__ __forceinline__ Stat nothing() {
  return {-INFINITY, 0.0f};
}

__device__ __forceinline__ Stat join(Stat a, Stat b) {
  const float max = fmaxf(a.max, b.max);
  return {max, a.sum * exp_from(a.max, max) + b.sum * exp_from(b.max, max)};
}

// log of the sum of exp(element); -inf where there is none.
__device__ __forceinline__ float lse_of(Stat s) {
  return s.sum > 0.0f ? s.max + logf(s.sum) : s.sum == 0.0f ? -INFINITY : s.sum;  // NaN stays
}

__device__ __forceinline__ Stat include(Stat a, float x) {
  return join(a, {x, 1.0f});
}

// Rows of c * x, with c > 0 and x the numbers at hand: with factor = c * log2(e), one FMA and one ex2 give an
// exponential. `shift` is the maximum in that unit, or 0 for a row of nothing but -inf.
__device__ __forceinline__ float shift_of(float max, float factor) {
  return max == -INFINITY ? 0.0f : __fmul_rn(max, factor);
}
__device__ __forceinline__ float exp_scaled(float x, float factor, float shift) {
  return ptx::exp2(fmaf(x, factor, -shift));
}

// What sums relative to the shift of an earlier maximum become relative to a later one are multiplied with. Exactly 1 where the
// maximum stays: as an FMA it would be 2^(what `shift` was rounded by), once per tile of a long row.
__device__ __forceinline__ float shrink_to(float shift, float earlier_max, float factor) {
  return ptx::exp2(__fsub_rn(__fmul_rn(earlier_max, factor), shift));
}

template <int Width = 32>
__device__ __forceinline__ Stat warp_join(Stat s) {
#pragma unroll
  for (int offset = Width / 2; offset > 0; offset /= 2)
    s = join(
        s, {__shfl_xor_sync(full_mask, s.max, offset), __shfl_xor_sync(full_mask, s.sum, offset)});
  return s;
}

// Every thread of the block gets the joint result.
template <int Threads>
__device__ __forceinline__ Stat block_join(Stat s, Stat (&slots)[Threads / 32]) {
  s = warp_join(s);
  if constexpr (Threads == 32) return s;
  if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = s;
  __syncthreads();
  return warp_join<Threads / 32>(slots[threadIdx.x % (Threads / 32)]);
}

}  // namespace warpath::softmax
