// Results stored by the threads, where TMA cannot store them: rows that start at any
// element.
//
// A warp writes its 16 rows of a patch to shared memory, swizzled, then copies them to the result
// row by row: 128 bytes per instruction, as aligned words. Where a row starts in the middle of a
// word, the words do not match the pairs that the threads hold: the first and the last element of
// the 128 bytes have no partner and are stored alone.
#pragma once
#include "core/hopper/staging.cuh"
#include "core/host/dispatch.cuh"

namespace warpath::hopper {

// Writes 128 bytes of each of the warp's rows; `sums` points to this thread's first sum in them.
// For 16-bit types there are no bank conflicts.
template <class Out>
__device__ __forceinline__ void write_warp_rows(const float* sums, unsigned char* patch) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x % ptx::warp_group / 32;
#pragma unroll
  for (int i = 0; i < 32 / int(sizeof(Out)); ++i) {  // 8 columns of a row, or of the one 8 below
    const int row = warp * 16 + lane / 4 + i % 2 * 8, column = i / 2 * 8 + lane % 4 * 2;
    unsigned char* const to = swizzled(patch, row, column * int(sizeof(Out)));
    store<2>(reinterpret_cast<Out*>(to),
             Vector<Out, 2>{from_float<Out>(sums[2 * i]), from_float<Out>(sums[2 * i + 1])});
  }
}

// 32 columns of f32: one per lane.
template <class Out>
__device__ __forceinline__ void store_row(Out* to, std::uint32_t word, int lane, std::int64_t left,
                                          Tag<Out>) requires(sizeof(Out) == 4) {
  if (lane < left) to[lane] = __uint_as_float(word);
}
// 64 columns of 16 bits, the lane's two in `word`; `left` of them are in the result.
template <class Out>
__device__ __forceinline__ void store_row(Out* to, std::uint32_t word, int lane, std::int64_t left,
                                          Tag<Out>) requires(sizeof(Out) == 2) {
  const bool shifted = reinterpret_cast<std::uintptr_t>(to) % 4 != 0;
  // The last column of the lane before and the first of this one; lane 0 gets the last of all.
  const std::uint32_t before = __shfl_sync(0xffffffffu, word, (lane + 31) % 32);
  if (shifted) word = __funnelshift_r(before, word, 16);
  const int second = 2 * lane + !shifted, first = shifted && lane == 0 ? 63 : second - 1;
  const auto& pair = reinterpret_cast<const Vector<Out, 2>&>(word);
  if (first < second && second < left) {
    store<2>(to + first, pair);
  } else {
    if (first < left) to[first] = pair.at[0];
    if (second < left) to[second] = pair.at[1];
  }
}

// A tile's finished sums, rounded to `Out`. `out` has the result's d (batch x m x n, in rows
// without gaps), m and n.
template <class Tile, class Out, class Result>
__device__ __forceinline__ void store_rows(const typename Tile::Sums& sums, const Result& out,
                                           Staging& staging, TilePlace tile, int group) {
  constexpr int columns = 128 / sizeof(Out), patches = Tile::n / columns;
  const Corner at{tile.batch, tile.row * Tile::m + group * 64, tile.column * Tile::n};
  const int lane = threadIdx.x % 32, warp = threadIdx.x % ptx::warp_group / 32;
  const std::int64_t row0 = at.row + warp * 16;
#pragma unroll
  for (int p = 0; p < patches; ++p) {
    unsigned char* const patch = staging.patch[p % Staging::patches];
    write_warp_rows<Out>(sums + p * columns / 2, patch);
    // Before this warp writes to this patch again, it synchronises once more, at the next patch.
    __syncwarp();
    const std::int64_t column = at.column + p * columns;
    if (column >= out.n) break;
#pragma unroll 4
    for (int i = 0; i < 16 && row0 + i < out.m; ++i) {
      const std::uint32_t word =
          *reinterpret_cast<const std::uint32_t*>(swizzled(patch, warp * 16 + i, lane * 4));
      store_row(static_cast<Out*>(out.d) + ((at.batch * out.m + row0 + i) * out.n + column), word,
                lane, out.n - column, Tag<Out>{});
    }
  }
  static_assert(Staging::patches > 1);
}

}  // namespace warpath::hopper
