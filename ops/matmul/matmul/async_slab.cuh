// A tile of an f32 operand in shared memory with k as the slow axis, filled by cp.async.
#pragma once
#include "core/ptx/cp_async.cuh"
#include "ops/matmul/matmul/layout.cuh"

namespace warpath::matmul {

template <int Outer, int Depth, int Threads>
struct AsyncSlab {
  // Eight neighbours along k of four rows, copied by one warp, fall into 32 different banks.
  static constexpr int pitch = Outer + 4;
  float at[Depth][pitch];

  __device__ __forceinline__ Vector<float, 4> four(int l, int i) const {
    return load<4>(&at[l][i]);
  }

  // Any part of a matrix, with zeros outside of it, 4 bytes at a time.
  template <bool AlongK>
  __device__ __forceinline__ void fetch(const Operand<float, AlongK>& x, std::int64_t i0,
                                        std::int64_t l0) {
#pragma unroll 1
    for (int v = threadIdx.x; v < Outer * Depth; v += Threads) {
      const int i = AlongK ? v / Depth : v % Outer, l = AlongK ? v % Depth : v / Outer;
      ptx::copy_async<4>(ptx::shared_address(&at[l][i]), x.at(i0 + i, l0 + l),
                         i0 + i < x.size && l0 + l < x.k);
    }
  }
};

// A thread's share of the copies of one tile after another along k, all inside of the matrix, a
// round of them at a time: begin(), `rounds` times round(), end(). No bounds checks, no address
// computed again: those instructions would cost issue slots of FMAs.
template <class Slab, bool AlongK>
struct AsyncCopies;

// Along k: a warp copies 8 neighbours, a 32-byte sector, of 4 rows, and transposes them.
template <int Outer, int Depth, int Threads>
struct AsyncCopies<AsyncSlab<Outer, Depth, Threads>, true> {
  using Slab = AsyncSlab<Outer, Depth, Threads>;
  static constexpr int rows = Threads / 8, rounds = Outer / rows;
  const float* from;
  std::int64_t down;  // from row to row that this thread copies
  std::uint32_t first, to;

  __device__ __forceinline__ AsyncCopies(const Operand<float, true>& x, const Slab& slab,
                                         std::int64_t i0, std::int64_t l0)
      : from(x.at(i0 + threadIdx.x / 8, l0 + threadIdx.x % 8)),
        down(rows * x.pitch),
        first(ptx::shared_address(&slab.at[threadIdx.x % 8][threadIdx.x / 8])),
        to(first) {}

  // Into the slab that lies `bytes` behind the first.
  __device__ __forceinline__ void begin(std::uint32_t bytes) { to = first + bytes; }
  __device__ __forceinline__ void round() {
#pragma unroll
    for (int h = 0; h < Depth / 8; ++h)
      ptx::copy_async<4>(to + h * 8 * Slab::pitch * 4, from + h * 8);
    from += down;
    to += rows * 4;
  }
  __device__ __forceinline__ void end() {
    from += Depth - rounds * down;
  }
};

// Along the outer axis, 16 bytes at a time.
template <int Outer, int Depth, int Threads>
struct AsyncCopies<AsyncSlab<Outer, Depth, Threads>, false> {
  using Slab = AsyncSlab<Outer, Depth, Threads>;
  static constexpr int vectors = Outer / 4, rows = Threads / vectors, rounds = Depth / rows;
  const float* from;
  std::int64_t down;
  std::uint32_t first, to;

  __device__ __forceinline__ AsyncCopies(const Operand<float, false>& x, const Slab& slab,
                                         std::int64_t i0, std::int64_t l0)
      : from(x.at(i0 + threadIdx.x % vectors * 4, l0 + threadIdx.x / vectors)),
        down(rows * x.pitch),
        first(ptx::shared_address(&slab.at[threadIdx.x / vectors][threadIdx.x % vectors * 4])),
        to(first) {}

  __device__ __forceinline__ void begin(std::uint32_t bytes) { to = first + bytes; }
  __device__ __forceinline__ void round() {
    ptx::copy_async<16>(to, from);
    from += down;
    to += rows * Slab::pitch * 4;
  }
  __device__ __forceinline__ void end() {}
};

}  // namespace warpath::matmul
