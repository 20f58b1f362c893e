// The roles of a block's warp groups: the first one loads (the producer), the others multiply (the
// consumers).
#pragma once
#include "core/ptx/roles.cuh"

namespace warpath::hopper {

// Per thread, for one producer and two consumers: 3 * 168 in all.
inline constexpr int producer_registers = 40, consumer_registers = 232;

// The shuffle tells the compiler that all lanes of a warp have the same number: what depends on it
// is then computed once per warp.
__device__ __forceinline__ int warp_group_number() {
  return __shfl_sync(0xffffffffu, int(threadIdx.x) / ptx::warp_group, 0);
}
__device__ __forceinline__ bool is_producer() {
  return warp_group_number() == 0;
}
__device__ __forceinline__ int consumer_group() {
  return warp_group_number() - 1;
}
constexpr int warps_of(int groups) {
  return groups * ptx::warp_group / 32;
}

// Named barriers, one per consumer group, from this one on. Barrier 0 is __syncthreads().
inline constexpr int first_free_barrier = 1;

}  // namespace warpath::hopper
