// d by way of shared memory: the copy engine writes it while the warp group goes on.
//
// A warp group lays 64 rows of 128 bytes down at a time, swizzled so that neither the writes nor the engine's reads meet
// in a bank, and has two such patches: one fills while the other drains.
#pragma once
#include "core/ptx/stmatrix.cuh"
#include "hopper_store.cuh"

namespace warpath::matmul::hopper {

struct Staging {
  static constexpr int patches = 2;
  alignas(1024) unsigned char patch[patches][patch_bytes];
};

inline constexpr int first_free_barrier = 1;  // 0 is the block's

// The 16 bytes that hold byte `at` of a row, where the swizzle puts them.
__device__ __forceinline__ unsigned char* swizzled(unsigned char* patch, int row, int at) {
  return patch + row * 128 + ((at / 16) ^ (row % 8)) * 16 + at % 16;
}

// 64 columns of 16 bits: sums [32 * p, 32 * p + 32) of the thread.
template <class Out>
__device__ __forceinline__ void lay_down(const float* sums, unsigned char* patch,
                                         Tag<Out>) requires(sizeof(Out) == 2) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x % ptx::warp_group / 32;
  const int row = warp * 16 + lane % 16,
            right = lane / 16;  // of the row whose address this lane gives
#pragma unroll
  for (int j = 0; j < 8; j += 2) {  // 16 columns
    std::uint32_t words[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const Vector<Out, 2> pair = {from_float<Out>(sums[4 * j + 2 * i]),
                                   from_float<Out>(sums[4 * j + 2 * i + 1])};
      words[i] = reinterpret_cast<const std::uint32_t&>(pair);
    }
    ptx::store_matrices(swizzled(patch, row, (j + right) * 16), words);
  }
}
// 32 columns of f32: sums [16 * p, 16 * p + 16).
template <class Out>
__device__ __forceinline__ void lay_down(const float* sums, unsigned char* patch,
                                         Tag<Out>) requires(sizeof(Out) == 4) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x % ptx::warp_group / 32;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int row = warp * 16 + lane / 4 + i % 2 * 8;
    const Vector<float, 2> pair = {sums[2 * i], sums[2 * i + 1]};
    store<2>(reinterpret_cast<float*>(swizzled(patch, row, i / 2 * 32 + lane % 4 * 8)), pair);
  }
}

// All patches of a warp group's 64 rows. The stores may still run when this returns.
template <class Out, int Count>
__device__ __forceinline__ void store_patches(const float (&sums)[Count], Staging& staging,
                                              const CUtensorMap& d, ptx::BoxPlace at, int group) {
  constexpr int columns = 128 / sizeof(Out), patches = 2 * Count / columns;
  const bool leader = threadIdx.x % ptx::warp_group == 0;
  const int barrier = first_free_barrier + group;
#pragma unroll
  for (int p = 0; p < patches; ++p) {
    unsigned char* const patch = staging.patch[p % Staging::patches];
    if (leader) ptx::wait_stores_read<Staging::patches - 1>();  // this patch has been read
    ptx::sync_some(barrier, ptx::warp_group);
    lay_down(sums + p * columns / 2, patch, Tag<Out>{});
    ptx::fence_async_proxy();
    ptx::sync_some(barrier, ptx::warp_group);
    if (leader) {
      ptx::store_box(d, {at.inner + p * columns, at.row, at.batch}, patch);
      ptx::commit_stores();
    }
  }
}

// Finished sums, by the copy engine.
template <class Tile, class T>
__device__ __forceinline__ void store_staged(const typename Tile::Sums& sums,
                                             const Epilogue<T>& out, Staging& staging,
                                             const CUtensorMap& d, TilePlace at, int group) {
  const ptx::BoxPlace place{at.column * Tile::n, at.row * Tile::m + group * 64, at.batch};
  if (sizeof(T) == 4 || out.to_float)
    store_patches<float>(sums, staging, d, place, group);
  else
    store_patches<T>(sums, staging, d, place, group);
}

}  // namespace warpath::matmul::hopper
