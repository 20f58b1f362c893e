// Hopper's Tensor Memory Accelerator (TMA): boxes of a tensor that a map
// describes, to and from shared memory. One thread issues a copy; an mbarrier counts the bytes that
// arrive. Boxes are three-dimensional here: (inner, row, batch).
#pragma once
#include <cuda.h>

#include "core/ptx/mbarrier.cuh"

namespace warpath::ptx {

struct BoxPlace {
  int inner, row, batch;  // of the box's first element, in elements
};

// Elements outside the tensor arrive as zeros, and their bytes are counted too.
__device__ __forceinline__ void load_box(void* to, const CUtensorMap& map, BoxPlace p, Barrier& b) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
      "{%2, %3, %4}], "
      "[%5];" ::"r"(shared_address(to)),
      "l"(&map), "r"(p.inner), "r"(p.row), "r"(p.batch), "r"(shared_address(&b))
      : "memory");
}

// Of a tensor of four axes: a matrix for each head of each batch.
struct HeadBox {
  int inner, row, head, batch;
};
__device__ __forceinline__ void load_box(void* to, const CUtensorMap& map, HeadBox p, Barrier& b) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
      "{%2, %3, %4, %5}], [%6];" ::"r"(shared_address(to)),
      "l"(&map), "r"(p.inner), "r"(p.row), "r"(p.head), "r"(p.batch), "r"(shared_address(&b))
      : "memory");
}

// Into every block of the cluster whose bit is set, at the same place; each block's own barrier
// counts.
__device__ __forceinline__ void load_box_to_all(void* to, const CUtensorMap& map, BoxPlace p,
                                                Barrier& b, std::uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::"
      "cluster [%0], "
      "[%1, {%2, %3, %4}], [%5], %6;" ::"r"(shared_address(to)),
      "l"(&map), "r"(p.inner), "r"(p.row), "r"(p.batch), "r"(shared_address(&b)), "h"(blocks)
      : "memory");
}

// Contiguous bytes, without a map. Both addresses and the count are multiples of 16.
__device__ __forceinline__ void load_bytes(void* to, const void* from, unsigned bytes, Barrier& b) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
      "[%3];" ::"r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(&b))
      : "memory");
}

// The same for what is read once: L2 evicts these lines first.
__device__ __forceinline__ void load_bytes_once(void* to, const void* from, unsigned bytes,
                                                Barrier& b) {
  std::uint64_t policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], "
      "[%1], %2, [%3], %4;" ::"r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(&b)), "l"(policy)
      : "memory");
}

// Elements outside the tensor are not written.
__device__ __forceinline__ void store_box(const CUtensorMap& map, BoxPlace p, const void* from) {
  asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(
          &map),
      "r"(p.inner), "r"(p.row), "r"(p.batch), "r"(shared_address(from))
      : "memory");
}

// Adds floats that lie together in shared memory to those in global memory, in the order in which requests arrive. Both
// addresses and the count of bytes are multiples of 16. Committed and waited for as stores are.
__device__ __forceinline__ void add_floats(float* to, const float* from, unsigned bytes) {
  asm volatile(
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(to),
      "r"(shared_address(from)), "r"(bytes)
      : "memory");
}

__device__ __forceinline__ void commit_stores() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Waits until at most `Left` groups of this thread's stores still read their shared memory.
template <int Left>
__device__ __forceinline__ void wait_stores_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Left) : "memory");
}

// Makes this thread's ordinary stores to shared memory visible to TMA and the tensor
// cores.
__device__ __forceinline__ void fence_async_proxy() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

}  // namespace warpath::ptx
