// Results stored through shared memory: TMA writes them while the warp group goes on.
//
// A warp group writes 64 rows of 128 bytes at a time, a patch, swizzled so that neither its writes
// nor the engine's reads have bank conflicts. It has two such patches.
#pragma once
#include <type_traits>

#include "core/hopper/accumulator.cuh"
#include "core/ptx/stmatrix.cuh"
#include "core/thread/convert.cuh"
#include "core/thread/vector.cuh"

namespace warpath::hopper {

struct Staging {
  static constexpr int patches = 2;
  alignas(1024) unsigned char patch[patches][patch_bytes];
};

// The shared memory of a persistent block that stores through staging.
template <class Tile>
struct StagedStorage {
  Staging staging[Tile::groups];
  Ring<Tile> ring;
};

// Neighbours in a row, rounded, two per word.
template <class Out, int Count>
__device__ __forceinline__ void round_pairs(const float* sums, std::uint32_t (&words)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    const Vector<Out, 2> pair = {from_float<Out>(sums[2 * i]), from_float<Out>(sums[2 * i + 1])};
    words[i] = reinterpret_cast<const std::uint32_t&>(pair);
  }
}

// A patch of 64 columns of 16 bits: 16 words of each thread.
__device__ __forceinline__ void write_patch(const std::uint32_t* words, unsigned char* patch) {
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
// A patch of 32 columns of f32: 16 sums of each thread.
__device__ __forceinline__ void write_patch(const float* sums, unsigned char* patch) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x % ptx::warp_group / 32;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int row = warp * 16 + lane / 4 + i % 2 * 8;
    const Vector<float, 2> pair = {sums[2 * i], sums[2 * i + 1]};
    store<2>(reinterpret_cast<float*>(swizzled(patch, row, i / 2 * 32 + lane % 4 * 8)), pair);
  }
}

// The `number`th patch of a warp group's 64 rows: 16 values per thread, floats or words of two. The
// two patches of the staging are used alternately. The store may still run when this returns.
template <class Value>
__device__ __forceinline__ void store_patch(const Value* values, int number, Staging& staging,
                                            const CUtensorMap& d, ptx::BoxPlace at, int group) {
  const bool leader = threadIdx.x % ptx::warp_group == 0;
  const int barrier = first_free_barrier + group;
  unsigned char* const patch = staging.patch[number % Staging::patches];
  if (leader) ptx::wait_stores_read<Staging::patches - 1>();  // what was here before
  ptx::sync_some(barrier, ptx::warp_group);
  write_patch(values, patch);
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

// A tile's finished sums, rounded to `Out`.
template <class Tile, class Out>
__device__ __forceinline__ void store_staged(const typename Tile::Sums& sums, Staging& staging,
                                             const CUtensorMap& d, TilePlace at, int group) {
  if constexpr (sizeof(Out) == 4) {
#pragma unroll
    for (int p = 0; p < Tile::n / 32; ++p)
      store_patch(sums + 16 * p, p, staging, d, box_of<Tile>(at, group, 32 * p), group);
  } else {
#pragma unroll
    for (int p = 0; p < Tile::n / 64; ++p) {
      std::uint32_t words[16];
      round_pairs<Out>(sums + 32 * p, words);
      store_patch(words, p, staging, d, box_of<Tile>(at, group, 64 * p), group);
    }
  }
}

// The block must not exit before the engine has read its shared memory; what the engine wrote is
// visible when the kernel ends.
__device__ __forceinline__ void finish_stores() {
  if (threadIdx.x % ptx::warp_group == 0) ptx::wait_stores_read<0>();
}

// A tile of 16-bit results, two per word, that is still to be stored.
template <class Tile>
struct KeptTile {
  static constexpr int patches = Tile::n / 64;
  std::uint32_t words[patches * 16];
  TilePlace at;
  bool there = false;

  __device__ __forceinline__ void keep(const typename Tile::Sums& sums, TilePlace place) {
    round_pairs<typename Tile::T>(sums, words);
    at = place;
    there = true;
  }
  __device__ __forceinline__ void store(int patch, Staging& staging, const CUtensorMap& d,
                                        int group) const {
    if (there)
      store_patch(words + 16 * patch, patch, staging, d, box_of<Tile>(at, group, 64 * patch),
                  group);
  }
  // All of it, from the ring, for the last tile of a block: no stage is filled any more, and no
  // other group reads this group's rows of a. Each patch has a stage of its own.
  template <class RingTile>
  __device__ __forceinline__ void store_last(Ring<RingTile>& ring, const CUtensorMap& d,
                                             int group) const {
    static_assert(patches <= RingTile::stages &&
                  RingTile::A::bytes == RingTile::groups * patch_bytes);
    ptx::sync_some(first_free_barrier + group, ptx::warp_group);
#pragma unroll
    for (int p = 0; p < patches; ++p) {
      unsigned char* const patch = ring.a[p] + group * patch_bytes;
      write_patch(words + 16 * p, patch);
      ptx::fence_async_proxy();
      ptx::sync_some(first_free_barrier + group, ptx::warp_group);
      if (threadIdx.x % ptx::warp_group != 0) continue;
      ptx::store_box(d, box_of<Tile>(at, group, 64 * p), patch);
      ptx::commit_stores();
    }
  }
};

// The products of a tile. During its first steps the previous tile, `kept`, is stored. Returns the
// place of the new tile.
template <class Tile, class Consumer, class Kept>
__device__ __forceinline__ TilePlace multiply_and_store(Consumer consumer, const Shape& shape,
                                                        int tile, const Kept& kept,
                                                        Staging& staging, const CUtensorMap& d,
                                                        int group) {
  TilePlace at{};
  consumer.begin();
#pragma unroll
  for (int patch = 0; patch < Kept::patches; ++patch)
    consumer.step([&] {
      if (patch == 0) at = own_place_now<Tile>(shape, tile);
      kept.store(patch, staging, d, group);
    });
  consumer.steps(shape.steps - 1 - Kept::patches);
  consumer.end();
  return at;
}

}  // namespace warpath::hopper
