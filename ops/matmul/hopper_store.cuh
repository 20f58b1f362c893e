// From the sums in a warp group's registers to d.
//
// A thread holds, for every 8 columns, two neighbours in one row and two in the row 8 below:
//   row = 16 * warp + lane / 4 (+ 8), column = 8 * j + 2 * (lane % 4) (+ 1), sums[4 * j + …]
#pragma once
#include "epilogue.cuh"
#include "hopper.cuh"

namespace warpath::matmul::hopper {

// Where sums[0] of this thread lies in d.
struct Corner {
  std::int64_t batch, row, column;
};
template <class Tile>
__device__ __forceinline__ Corner corner_of(TilePlace at, int group) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x % ptx::warp_group / 32;
  return {at.batch, at.row * Tile::m + group * 64 + warp * 16 + lane / 4,
          at.column * Tile::n + lane % 4 * 2};
}

// The epilogue, a step for all sums at a time: one branch a step, where one for each sum would make the kernel many times
// as long.
template <class T, int Count>
__device__ __forceinline__ void finish(float (&sums)[Count], const Epilogue<T>& out, Corner at) {
#pragma unroll
  for (int i = 0; i < Count; ++i) sums[i] *= out.alpha;
  if (out.c) {
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      const std::int64_t row = at.row + i % 4 / 2 * 8, column = at.column + i / 4 * 8 + i % 2;
      if (row < out.m && column < out.n)
        sums[i] +=
            out.beta * out.c_at(at.batch * out.c_batch + row * out.c_row + column * out.c_col);
    }
  }
  if (out.bias) {
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      const std::int64_t column = at.column + i / 4 * 8 + i % 2;
      if (column < out.n) sums[i] += to_float(out.bias[column]);
    }
  }
  const auto activate_all = [&](auto kind) {
#pragma unroll
    for (int i = 0; i < Count; ++i) sums[i] = activate(decltype(kind)::value, sums[i]);
  };
  using enum Activation;
  if (out.activation == relu) activate_all(std::integral_constant<Activation, relu>{});
  if (out.activation == gelu) activate_all(std::integral_constant<Activation, gelu>{});
  if (out.activation == silu) activate_all(std::integral_constant<Activation, silu>{});
}

// Straight from the registers: 8 rows by 8 columns in one instruction of a warp, in pairs where the rows allow it.
template <class Out, int Count>
__device__ __forceinline__ void store_as(const float (&sums)[Count], Out* d, std::int64_t m,
                                         std::int64_t n, Corner at) {
  const bool pairs = n % 2 == 0 && reinterpret_cast<std::uintptr_t>(d) % (2 * sizeof(Out)) == 0;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const std::int64_t row = at.row + half * 8;
    if (row >= m) continue;
    Out* const to = d + (at.batch * m + row) * n + at.column;
    const int left = int(n - at.column < Count * 2 ? n - at.column : Count * 2);
#pragma unroll
    for (int j = 0; j < Count / 4; ++j) {
      const Vector<Out, 2> pair = {from_float<Out>(sums[4 * j + 2 * half]),
                                   from_float<Out>(sums[4 * j + 2 * half + 1])};
      if (pairs) {
        if (8 * j < left) store<2>(to + 8 * j, pair);
      } else {
        if (8 * j < left) to[8 * j] = pair.at[0];
        if (8 * j + 1 < left) to[8 * j + 1] = pair.at[1];
      }
    }
  }
}

// Finished sums, by the threads themselves.
template <class Tile, class T>
__device__ __forceinline__ void store_finished(const typename Tile::Sums& sums,
                                               const Epilogue<T>& out, Corner corner) {
  if (sizeof(T) == 4 || out.to_float)
    store_as(sums, static_cast<float*>(out.d), out.m, out.n, corner);
  else
    store_as(sums, static_cast<T*>(out.d), out.m, out.n, corner);
}

template <class Tile, class T>
__device__ __forceinline__ void store_direct(typename Tile::Sums& sums, const Epilogue<T>& out,
                                             TilePlace at, int group) {
  const Corner corner = corner_of<Tile>(at, group);
  finish(sums, out, corner);
  store_finished<Tile>(sums, out, corner);
}

}  // namespace warpath::matmul::hopper
