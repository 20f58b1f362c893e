// Addresses as PTX wants them: 32 bits inside the shared memory of a block or of a cluster.
#pragma once
#include <cstdint>

namespace warpath::ptx {

__device__ __forceinline__ std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

// The same place in the shared memory of block `rank` of the cluster.
__device__ __forceinline__ std::uint32_t cluster_address(const void* p, unsigned rank) {
  std::uint32_t there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(p)), "r"(rank));
  return there;
}

}  // namespace warpath::ptx
