// Copies from global to shared memory that run while the thread does something else (sm_80).
#pragma once
#include <cstdint>

#include "core/ptx/address.cuh"

namespace warpath::ptx {

// Both addresses are multiples of Bytes. Where `inside` is false nothing is read, and zeros are
// written. A 16-byte copy bypasses L1: its data is only used from shared memory.
template <int Bytes>
__device__ __forceinline__ void copy_async(std::uint32_t to_shared, const void* from,
                                           bool inside = true) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "cp.async moves 4, 8 or 16 bytes");
  const int bytes = inside ? Bytes : 0;  // a constant where `inside` is one
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to_shared), "l"(from),
                 "r"(bytes)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(to_shared), "l"(from),
                 "r"(bytes), "n"(Bytes)
                 : "memory");
}

// Commits the copies this thread has started since the last commit as a group; it may be empty.
__device__ __forceinline__ void copy_async_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until at most `Pending` of this thread's groups are in flight. To read what other threads
// copied, a barrier must follow.
template <int Pending>
__device__ __forceinline__ void copy_async_wait() {
  static_assert(Pending >= 0, "a number of groups");
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

}  // namespace warpath::ptx
