// Copies matrices to rows that TMA can take: each starts at a multiple of 128 bytes.
//
// A thread writes 16 bytes. What it reads starts at any element, and the widest load wants a
// multiple of 16 bytes: so it reads the two pieces of 16 bytes in which its own lie, and shifts.
//
//   source   |… … … … a b c d|e f g h i j k l|      two aligned loads
//   copy     |a b c d e f g h|                      one aligned store
//
// Where the source has no neighbours along the copy's rows, tiles of it are transposed in shared
// memory.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

#include "core/host/error.h"
#include "core/host/launch.h"
#include "core/host/tensor.h"
#include "core/thread/vector.cuh"

namespace warpath::matmul {

inline constexpr int repack_threads = 256, repack_side = 64;
inline constexpr std::int64_t repack_pitch_bytes = 128;

// A stack of matrices and its copy, whose rows go along `inner`. Strides in elements.
template <class T>
struct Repack {
  const T* from;
  T* to;
  int inner, rows;
  std::int64_t inner_stride, row_stride, batch_stride;
  std::int64_t pitch;  // between rows of the copy; its matrices have no gaps between them
  unsigned across, pieces, blocks;  // pieces of 16 bytes, or tiles: in a row of them, in all

  static constexpr int lanes = lanes_of_16<T>;
  __host__ __device__ bool in_rows() const { return inner_stride == 1; }
  // Of the sizes above; `batches` is 1 where one matrix serves all.
  void share_out(unsigned batches) {
    const unsigned side = in_rows() ? lanes : repack_side;
    across = ceil_div(unsigned(inner), side);
    pieces = across * (in_rows() ? unsigned(rows) : ceil_div(unsigned(rows), side)) * batches;
    blocks = in_rows() ? ceil_div(std::uint64_t(pieces), repack_threads) : pieces;
  }
};

// The 16 bytes at `p`, any element, by aligned loads.
template <class T>
__device__ __forceinline__ uint4 load_across(const T* p) {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  const auto* const piece = reinterpret_cast<const uint4*>(address & ~std::uintptr_t(15));
  const unsigned past = address % 16;
  uint4 lo = __ldg(piece);
  if (past == 0) return lo;
  const uint4 hi = __ldg(piece + 1);
  unsigned w[8] = {lo.x, lo.y, lo.z, lo.w, hi.x, hi.y, hi.z, hi.w};
#pragma unroll
  for (int step = 2; step > 0; step /= 2)  // whole words
    if (past / 4 & step)
#pragma unroll
      for (int i = 0; i + step < 8; ++i) w[i] = w[i + step];
  const unsigned bits = past % 4 * 8;
  return {__funnelshift_r(w[0], w[1], bits), __funnelshift_r(w[1], w[2], bits),
          __funnelshift_r(w[2], w[3], bits), __funnelshift_r(w[3], w[4], bits)};
}

// Whether the loads of load_across() stay in the row [begin, end).
template <class T>
__device__ __forceinline__ bool inside(const T* p, const T* begin, const T* end) {
  const auto address = reinterpret_cast<std::uintptr_t>(p), first = address & ~std::uintptr_t(15);
  return first >= reinterpret_cast<std::uintptr_t>(begin) &&
         first + (first == address ? 16 : 32) <= reinterpret_cast<std::uintptr_t>(end);
}

// A piece of 16 bytes per thread, along the rows.
template <class T>
__device__ __forceinline__ void shift_rows(const Repack<T>& r, unsigned block) {
  const unsigned piece = block * repack_threads + threadIdx.x;
  if (piece >= r.pieces) return;
  const unsigned line = piece / r.across, batch = line / r.rows;
  const int column = int(piece % r.across) * r.lanes;
  const T* const begin =
      r.from + (batch * r.batch_stride + std::int64_t(line % r.rows) * r.row_stride);
  Vector<T, lanes_of_16<T>> v;
  if (inside(begin + column, begin, begin + r.inner)) {
    const uint4 words = load_across(begin + column);
    v = reinterpret_cast<const Vector<T, lanes_of_16<T>>&>(words);
  } else {  // the ends of a row, by elements; zeros behind the last
#pragma unroll
    for (int i = 0; i < r.lanes; ++i) v.at[i] = column + i < r.inner ? begin[column + i] : T(0.0f);
  }
  store<lanes_of_16<T>>(r.to + line * r.pitch + column, v);
}

// A tile per block, any strides. Threads side by side read along the shorter stride.
template <class T>
__device__ __forceinline__ void transpose_tile(const Repack<T>& r, unsigned block) {
  constexpr int side = repack_side, lanes = Repack<T>::lanes;
  // Rows of the copy. An odd number of words from one to the next: no two of a column share a bank.
  __shared__ T tile[side][side + 4 / sizeof(T)];
  const unsigned per_batch = r.across * ((r.rows + side - 1) / side), batch = block / per_batch;
  const int l0 = int(block % r.across) * side, i0 = int(block % per_batch / r.across) * side;
  const T* const from = r.from + batch * r.batch_stride;
  const bool along = r.inner_stride < r.row_stride;
#pragma unroll 8
  for (int q = threadIdx.x; q < side * side; q += repack_threads) {
    const int fast = q % side, slow = q / side;
    const int i = along ? slow : fast, l = along ? fast : slow;
    tile[i][l] = i0 + i < r.rows && l0 + l < r.inner
                     ? from[(i0 + i) * r.row_stride + (l0 + l) * r.inner_stride]
                     : T(0.0f);
  }
  __syncthreads();
  T* const to = r.to + std::int64_t(batch) * r.rows * r.pitch;
  for (int q = threadIdx.x; q < side * side / lanes; q += repack_threads) {
    const int i = q / (side / lanes), l = q % (side / lanes) * lanes;
    if (i0 + i >= r.rows || l0 + l >= r.inner) continue;
    Vector<T, lanes> v;
#pragma unroll
    for (int e = 0; e < lanes; ++e) v.at[e] = tile[i][l + e];
    store<lanes>(to + ((i0 + i) * r.pitch + l0 + l), v);
  }
}

template <class T>
__device__ __forceinline__ void repack_block(const Repack<T>& r, unsigned block) {
  if (r.in_rows())
    shift_rows(r, block);
  else
    transpose_tile(r, block);
}

// One launch for both operands: the first has the first blocks. One that needs no copy has none.
template <class T>
__global__ void __launch_bounds__(repack_threads) repack(Repack<T> a, Repack<T> b) {
  if (blockIdx.x < a.blocks)
    repack_block(a, blockIdx.x);
  else
    repack_block(b, blockIdx.x - a.blocks);
}

}  // namespace warpath::matmul
