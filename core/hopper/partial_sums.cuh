// Sums over a part of k, left in global memory for another block to add up.
#pragma once
#include "core/hopper/mainloop.cuh"
#include "core/ptx/order.cuh"

namespace warpath::hopper {

// Slots for a tile's sums, all of its warp groups, and a flag per slot and group.
template <class Tile>
struct PartialSums {
  static constexpr int floats = Tile::m * Tile::n;  // per slot
  float* sums;
  unsigned* flags;

  // This thread's sums: one float4 for every 8 columns, `warp_group` float4s apart.
  __device__ __forceinline__ float4* of(int slot, int group) const {
    return reinterpret_cast<float4*>(sums + std::int64_t(slot) * floats) +
           group * (floats / Tile::groups / 4) + threadIdx.x % ptx::warp_group;
  }
  __device__ __forceinline__ unsigned* flag(int slot, int group) const {
    return flags + Tile::groups * slot + group;
  }
  // All threads of the group have written theirs when this returns.
  __device__ __forceinline__ void write(const typename Tile::Sums& from, int slot,
                                        int group) const {
    float4* const to = of(slot, group);
#pragma unroll
    for (int i = 0; i < Tile::n / 8; ++i)
      to[i * ptx::warp_group] = {from[4 * i], from[4 * i + 1], from[4 * i + 2], from[4 * i + 3]};
    ptx::sync_some(first_free_barrier + group, ptx::warp_group);
  }
  // Adds what is in the slot.
  __device__ __forceinline__ void add_to(typename Tile::Sums& to, int slot, int group) const {
    const float4* const from = of(slot, group);
#pragma unroll
    for (int i = 0; i < Tile::n / 8; ++i) {
      const float4 part = __ldcg(&from[i * ptx::warp_group]);
      to[4 * i] += part.x;
      to[4 * i + 1] += part.y;
      to[4 * i + 2] += part.z;
      to[4 * i + 3] += part.w;
    }
  }
};

}  // namespace warpath::hopper
