// d by way of shared memory: the copy engine writes it while the warp group goes on.
//
// A warp group lays 64 rows of 128 bytes down at a time, swizzled so that neither the writes nor the engine's reads meet
// in a bank, and has two such patches.
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

// The `number`th patch of a warp group's 64 rows: 16 values, the thread's floats or its words of two. Patches go by turns
// through those of the staging. The store may still run when this returns.
template <class Value>
__device__ __forceinline__ void store_patch(const Value* values, int number, Staging& staging,
                                            const CUtensorMap& d, ptx::BoxPlace at, int group) {
  const bool leader = threadIdx.x % ptx::warp_group == 0;
  const int barrier = first_free_barrier + group;
  unsigned char* const patch = staging.patch[number % Staging::patches];
  if (leader) ptx::wait_stores_read<Staging::patches - 1>();  // what was here before
  ptx::sync_some(barrier, ptx::warp_group);
  lay_down(values, patch);
  ptx::fence_async_proxy();
  ptx::sync_some(barrier, ptx::warp_group);
  if (!leader) return;
  ptx::store_box(d, at, patch);
  ptx::commit_stores();
}

// Where the group's part of a tile lies, from column `column` of the tile on.
template <class Tile>
__device__ __forceinline__ ptx::BoxPlace box_of(TilePlace at, int group, int column) {
  return {at.column * Tile::n + column, at.row * Tile::m + group * 64, at.batch};
}

// Finished sums, by the copy engine.
template <class Tile, class T>
__device__ __forceinline__ void store_staged(const typename Tile::Sums& sums,
                                             const Epilogue<T>& out, Staging& staging,
                                             const CUtensorMap& d, TilePlace at, int group) {
  if (sizeof(T) == 4 || out.to_float) {
#pragma unroll
    for (int p = 0; p < Tile::n / 32; ++p)
      store_patch(sums + 16 * p, p, staging, d, box_of<Tile>(at, group, 32 * p), group);
  } else if constexpr (sizeof(T) == 2) {
#pragma unroll
    for (int p = 0; p < Tile::n / 64; ++p) {
      std::uint32_t words[16];
      round_pairs<T>(sums + 32 * p, words);
      store_patch(words, p, staging, d, box_of<Tile>(at, group, 64 * p), group);
    }
  }
}

// A tile of 16-bit results that is still to be stored: two to a word, but for the last `Raw` of its patches, which are the
// sums as they were and go through the epilogue only when they are stored.
template <class Tile, int Raw>
struct KeptTile {
  using T = typename Tile::T;
  static constexpr int patches = Tile::n / 64, done = patches - Raw;
  std::uint32_t words[done * 16];
  float raw[Raw > 0 ? Raw * 32 : 1];
  TilePlace at;
  bool there = false;

  __device__ __forceinline__ void keep(typename Tile::Sums& sums, const Epilogue<T>& out,
                                       TilePlace place, int group) {
    if constexpr (Raw > 0) {
      auto& first = reinterpret_cast<float(&)[done * 32]>(sums);
      finish(first, out, corner_of<Tile>(place, group));
#pragma unroll
      for (int i = 0; i < Raw * 32; ++i) raw[i] = sums[done * 32 + i];
    }
    round_pairs<T>(sums, words);
    at = place;
    there = true;
  }
  // f(words of the patch)
  template <class F>
  __device__ __forceinline__ void with(int patch, const Epilogue<T>& out, int group, F f) {
    if constexpr (Raw > 0) {
      if (patch >= done) {
        auto& sums = reinterpret_cast<float(&)[32]>(raw[(patch - done) * 32]);
        Corner corner = corner_of<Tile>(at, group);
        corner.column += 64 * patch;
        finish(sums, out, corner);
        std::uint32_t rounded[16];
        round_pairs<T>(sums, rounded);
        return f(rounded);
      }
    }
    f(words + 16 * patch);
  }
  __device__ __forceinline__ void store(int patch, const Epilogue<T>& out, Staging& staging,
                                        const CUtensorMap& d, int group) {
    if (!there) return;
    with(patch, out, group, [&](const std::uint32_t* values) {
      store_patch(values, patch, staging, d, box_of<Tile>(at, group, 64 * patch), group);
    });
  }
  // All of it; room(patch) is where a patch may lie, each in a place of its own.
  template <class Room>
  __device__ __forceinline__ void store_last(const Epilogue<T>& out, const CUtensorMap& d,
                                             int group, Room room) {
#pragma unroll
    for (int p = 0; p < patches; ++p) {
      with(p, out, group, [&](const std::uint32_t* values) { lay_down(values, room(p)); });
      ptx::fence_async_proxy();
      ptx::sync_some(first_free_barrier + group, ptx::warp_group);
      if (threadIdx.x % ptx::warp_group != 0) continue;
      ptx::store_box(d, box_of<Tile>(at, group, 64 * p), room(p));
      ptx::commit_stores();
    }
  }
};

}  // namespace warpath::matmul::hopper
