// What a warp group that has a role of its own needs: its share of registers, its own barriers, one elected lane.
#pragma once
#include <cstdint>

namespace warpath::ptx {

inline constexpr int warp_group = 128;  // threads that issue one wgmma together

// Every warp of the group calls it; a multiple of 8. Works only in kernels with __launch_bounds__(threads, 1).
template <int Registers>
__device__ __forceinline__ void give_registers() {
  static_assert(Registers % 8 == 0 && Registers >= 24 && Registers <= 256);
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}
template <int Registers>
__device__ __forceinline__ void take_registers() {
  static_assert(Registers % 8 == 0 && Registers >= 24 && Registers <= 256);
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}

// Barrier `id` (1 to 15; 0 is __syncthreads) of `threads` threads of the block.
__device__ __forceinline__ void sync_some(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ __forceinline__ void arrive_some(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// True in one lane of a converged warp.
__device__ __forceinline__ bool elected() {
  std::uint32_t chosen;
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "elect.sync _|p, 0xffffffff;\n\t"
      "selp.b32 %0, 1, 0, p;\n\t"
      "}"
      : "=r"(chosen));
  return chosen;
}

// All threads of all blocks of the cluster meet, in two steps: each says that it has come, and waits for the others when it
// must. This promises nobody what was written before (initialised barriers have fence_init): a release here would be a fence
// for the whole GPU, which takes longer than all the rest.
__device__ __forceinline__ void arrive_at_cluster() {
  asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}
__device__ __forceinline__ void wait_for_cluster() {
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}
__device__ __forceinline__ void sync_cluster() {
  arrive_at_cluster();
  wait_for_cluster();
}
__device__ __forceinline__ unsigned rank_in_cluster() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

}  // namespace warpath::ptx
