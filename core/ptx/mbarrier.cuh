// Barriers in shared memory that count arrivals and bytes (Hopper). A phase ends when all arrivals
// and all announced bytes are in; a waiter names the phase by its parity.
#pragma once
#include "core/ptx/address.cuh"

namespace warpath::ptx {

struct alignas(8) Barrier {
  std::uint64_t state;
};

__device__ __forceinline__ void init(Barrier& b, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&b)), "r"(arrivals)
               : "memory");
}

// After the last init, before a barrier of the block or the cluster: makes the initialised barriers
// visible to other blocks and TMA.
__device__ __forceinline__ void fence_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void arrive(Barrier& b) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&b)) : "memory");
}

// Arrives at the barrier in the same place of block `rank` of the cluster. Without
// `.release.cluster`, which would wait for all of the thread's memory accesses at every arrival:
// for readers only, which have already waited for their products.
__device__ __forceinline__ void arrive_at(Barrier& b, unsigned rank) {
  asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(cluster_address(&b, rank))
               : "memory");
}

// Arrives and announces `bytes` that TMA will bring in this phase.
__device__ __forceinline__ void arrive_expecting(Barrier& b, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&b)),
               "r"(bytes)
               : "memory");
}

// Returns once the phase of this parity has ended. try_wait suspends the thread for a while before
// it returns false.
__device__ __forceinline__ void wait(Barrier& b, unsigned parity) {
  std::uint32_t done = 0;
  while (!done)
    asm volatile(
        "{\n\t"
        ".reg .pred p;\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
        "selp.b32 %0, 1, 0, p;\n\t"
        "}"
        : "=r"(done)
        : "r"(shared_address(&b)), "r"(parity)
        : "memory");
}

}  // namespace warpath::ptx
