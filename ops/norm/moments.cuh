// Mean and variance in one pass: Welford's recurrence, and Chan's rule for joining two parts.
#pragma once
#include "ops/norm/row.cuh"

namespace warpath::norm {

struct Moments {
  float count, mean, squares;  // squares: the sum of (x - mean)^2
};

__device__ __forceinline__ Moments no_moments() {
  return {0.0f, 0.0f, 0.0f};
}

// No sum of squares of x itself is ever formed: with a mean of 10^4 and a deviation of 1, the 24 bits
// of a float would hold the first and lose the second.
__device__ __forceinline__ Moments include(Moments m, float x) {
  const float delta = x - m.mean;
  m.count += 1.0f;
  m.mean += delta / m.count;
  m.squares += delta * (x - m.mean);
  return m;
}

__device__ __forceinline__ Moments join(Moments a, Moments b) {
  const float count = a.count + b.count;
  if (count == 0.0f) return a;
  const float part = b.count / count, delta = b.mean - a.mean;
  return {count, a.mean + delta * part, a.squares + b.squares + delta * delta * a.count * part};
}

// Every lane gets the joint result.
__device__ __forceinline__ Moments warp_join(Moments m) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2)
    m = join(
        m, {__shfl_xor_sync(full_mask, m.count, offset), __shfl_xor_sync(full_mask, m.mean, offset),
            __shfl_xor_sync(full_mask, m.squares, offset)});
  return m;
}

// Over all threads of each row, as row_sums of row.cuh.
using MomentSlots = Moments[most_threads / 32];
__device__ __forceinline__ Moments row_join(Moments m, MomentSlots& slots) {
  m = warp_join(m);
  const int warps = blockDim.x / 32;
  if (warps == 1) return m;
  const int first = threadIdx.y * warps, lane = threadIdx.x % 32;
  if (lane == 0) slots[first + threadIdx.x / 32] = m;
  __syncthreads();
  return warp_join(lane < warps ? slots[first + lane] : no_moments());
}

// Of this thread's part of a row that is in registers: two passes over it, exact as no recurrence is.
template <class T, int N, int Items>
__device__ __forceinline__ Moments moments_of(const Row<T, N, Items>& row, int cols) {
  Moments m = no_moments();
  row.for_each(cols, [&](const float(&v)[N], int) {
    m.count += N;
#pragma unroll
    for (int n = 0; n < N; ++n) m.mean += v[n];
  });
  if (m.count > 0.0f) m.mean /= m.count;
  row.for_each(cols, [&](const float(&v)[N], int) {
#pragma unroll
    for (int n = 0; n < N; ++n) m.squares += (v[n] - m.mean) * (v[n] - m.mean);
  });
  return m;
}

}  // namespace warpath::norm
