// d by way of shared memory: the copy engine writes it while the warp group goes on.
//
// A warp group lays 64 rows of 128 bytes down at a time, swizzled so that neither the writes nor the engine's reads meet
// in a bank, and has two such patches. That is half of a tile's 16-bit results: the other half waits in registers until
// the next tile's products run, and so does nobody for the patches.
#pragma once
#include <type_traits>

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

// Neighbours in a row, rounded, two to a word.
template <class Out, int Count>
__device__ __forceinline__ void round_pairs(const float* sums, std::uint32_t (&words)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    const Vector<Out, 2> pair = {from_float<Out>(sums[2 * i]), from_float<Out>(sums[2 * i + 1])};
    words[i] = reinterpret_cast<const std::uint32_t&>(pair);
  }
}

// 64 columns of 16 bits: words [16 * p, 16 * p + 16) of the thread.
__device__ __forceinline__ void lay_down(const std::uint32_t* words, unsigned char* patch) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x % ptx::warp_group / 32;
  const int row = warp * 16 + lane % 16,
            right = lane / 16;  // of the row whose address this lane gives
#pragma unroll
  for (int j = 0; j < 8; j += 2) {  // 16 columns
    const std::uint32_t four[4] = {words[2 * j], words[2 * j + 1], words[2 * j + 2],
                                   words[2 * j + 3]};
    ptx::store_matrices(swizzled(patch, row, (j + right) * 16), four);
  }
}
// 32 columns of f32: sums [16 * p, 16 * p + 16).
__device__ __forceinline__ void lay_down(const float* sums, unsigned char* patch) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x % ptx::warp_group / 32;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int row = warp * 16 + lane / 4 + i % 2 * 8;
    const Vector<float, 2> pair = {sums[2 * i], sums[2 * i + 1]};
    store<2>(reinterpret_cast<float*>(swizzled(patch, row, i / 2 * 32 + lane % 4 * 8)), pair);
  }
}

// As much as the staging holds of a warp group's 64 rows: 2 patches, of 16 values each that are the thread's floats, or
// its words of two. The stores may still run when this returns.
template <class Value>
__device__ __forceinline__ void store_patches(const Value* values, Staging& staging,
                                              const CUtensorMap& d, ptx::BoxPlace at, int group) {
  constexpr int columns = std::is_same_v<Value, float> ? 32 : 64;
  const bool leader = threadIdx.x % ptx::warp_group == 0;
  const int barrier = first_free_barrier + group;
  if (leader) ptx::wait_stores_read<0>();  // what was here before
  ptx::sync_some(barrier, ptx::warp_group);
#pragma unroll
  for (int p = 0; p < Staging::patches; ++p) lay_down(values + p * 16, staging.patch[p]);
  ptx::fence_async_proxy();
  ptx::sync_some(barrier, ptx::warp_group);
  if (!leader) return;
#pragma unroll
  for (int p = 0; p < Staging::patches; ++p)
    ptx::store_box(d, {at.inner + p * columns, at.row, at.batch}, staging.patch[p]);
  ptx::commit_stores();
}

// Where the group's part of a tile lies, from column `column` of the tile on.
template <class Tile>
__device__ __forceinline__ ptx::BoxPlace box_of(TilePlace at, int group, int column) {
  return {at.column * Tile::n + column, at.row * Tile::m + group * 64, at.batch};
}

// The right half of a tile, two values to a word, that is still to be stored.
template <class Tile>
struct LateHalf {
  std::uint32_t words[Tile::n / 8];
  ptx::BoxPlace at;
  bool there = false;

  __device__ __forceinline__ void store(Staging& staging, const CUtensorMap& d, int group) {
    if (there) store_patches(words, staging, d, at, group);
    there = false;
  }
};

// Finished sums, by the copy engine; of 16-bit results the right half later.
template <class Tile, class T>
__device__ __forceinline__ void store_staged(const typename Tile::Sums& sums,
                                             const Epilogue<T>& out, Staging& staging,
                                             const CUtensorMap& d, TilePlace at, int group,
                                             LateHalf<Tile>& late) {
  if (sizeof(T) == 4 || out.to_float) {
#pragma unroll
    for (int i = 0; i < Tile::n / 2; i += 16 * Staging::patches)
      store_patches(sums + i, staging, d, box_of<Tile>(at, group, 2 * i), group);
  } else if constexpr (sizeof(T) == 2) {
    static_assert(Tile::n == 2 * 64 * Staging::patches, "a half fills the patches");
    std::uint32_t words[Tile::n / 8];
    round_pairs<T>(sums, words);
    store_patches(words, staging, d, box_of<Tile>(at, group, 0), group);
    round_pairs<T>(sums + Tile::n / 4, late.words);
    late.at = box_of<Tile>(at, group, Tile::n / 2);
    late.there = true;
  }
}

}  // namespace warpath::matmul::hopper
