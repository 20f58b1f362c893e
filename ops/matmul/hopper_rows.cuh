// d by the threads, where the copy engine cannot take it: rows that start at any element.
//
// A warp lays its 16 rows of a patch down in shared memory, swizzled, then writes them to d row by row: 128 bytes in one
// instruction, as aligned words. Where a row starts in the middle of a word, so do the pairs: the first
// and the last element of the 128 bytes have no partner and go alone.
#pragma once
#include "hopper_staged.cuh"

namespace warpath::matmul::hopper {

// 128 bytes of each of the warp's rows, from the first of the thread's sums in them on. With 16 bits no two lanes meet in
// a bank.
template <class Out>
__device__ __forceinline__ void lay_rows(const float* sums, unsigned char* patch) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x % ptx::warp_group / 32;
#pragma unroll
  for (int i = 0; i < 32 / int(sizeof(Out)); ++i) {  // 8 columns of one row, or of that 8 below
    const int row = warp * 16 + lane / 4 + i % 2 * 8, column = i / 2 * 8 + lane % 4 * 2;
    unsigned char* const to = swizzled(patch, row, column * int(sizeof(Out)));
    store<2>(reinterpret_cast<Out*>(to),
             Vector<Out, 2>{from_float<Out>(sums[2 * i]), from_float<Out>(sums[2 * i + 1])});
  }
}

// 32 columns of f32: a column a lane.
template <class Out>
__device__ __forceinline__ void store_row(Out* to, std::uint32_t word, int lane, std::int64_t left,
                                          Tag<Out>) requires(sizeof(Out) == 4) {
  if (lane < left) to[lane] = __uint_as_float(word);
}
// 64 columns of 16 bits, the lane's two in `word`; `left` of them are in d.
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

// The finished sums of a warp group, whose first column and row in d are `at`'s.
template <class Out, class T, int Count>
__device__ __forceinline__ void store_rows_as(const float (&sums)[Count], const Epilogue<T>& out,
                                              Staging& staging, Corner at) {
  constexpr int columns = 128 / sizeof(Out), patches = 2 * Count / columns;
  const int lane = threadIdx.x % 32, warp = threadIdx.x % ptx::warp_group / 32;
  const std::int64_t row0 = at.row + warp * 16;
#pragma unroll
  for (int p = 0; p < patches; ++p) {
    unsigned char* const patch = staging.patch[p % Staging::patches];
    lay_rows<Out>(sums + p * columns / 2, patch);
    // Before this warp writes to the patch again it meets once more, at the next one.
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

template <class Tile, class T>
__device__ __forceinline__ void store_rows(const typename Tile::Sums& sums, const Epilogue<T>& out,
                                           Staging& staging, TilePlace at, int group) {
  const Corner first{at.batch, at.row * Tile::m + group * 64, at.column * Tile::n};
  if (sizeof(T) == 4 || out.to_float)
    store_rows_as<float>(sums, out, staging, first);
  else
    store_rows_as<T>(sums, out, staging, first);
}

}  // namespace warpath::matmul::hopper
