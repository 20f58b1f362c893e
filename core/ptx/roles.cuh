// Warp specialisation: a warp group's own share of the registers, and barriers of its own.
#pragma once
namespace warpath::ptx {

inline constexpr int warp_group = 128;  // threads that issue one wgmma together

// Called by every warp of the group; `Registers` is a multiple of 8. Works only in kernels with
// __launch_bounds__(threads, 1).
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

// A barrier of all threads of all blocks of the cluster, in two steps: arrive, and wait. It orders
// no memory accesses (initialised mbarriers have fence_init): a release here would be a fence for
// the whole GPU, which takes longer than the barrier itself.
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
