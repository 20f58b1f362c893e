// The mainloop of rungs 11 and 12: tiles come by cp.async two steps ahead, fragments one step.
#pragma once
#include "ops/matmul/matmul/swizzled.cuh"

namespace warpath::matmul {

// A thread's share of the copies of one tile after another along k, all inside of the matrix:
// without bounds checks, and each continues from where the last one ended.
template <class Tile, class T, bool AlongK, int Threads>
struct TileCopies {
  static constexpr int rows_a_round = Threads / Tile::chunks, rounds = Tile::rows / rows_a_round;
  static_assert(rows_a_round % Tile::period == 0, "the same column in all rounds");
  const T* from;
  std::int64_t down, on;  // to the next round, and from behind the last to the next tile
  std::uint32_t to;

  __device__ __forceinline__ TileCopies(const Operand<T, AlongK>& x, const Tile& tile,
                                        std::int64_t i0, std::int64_t l0) {
    const int r = threadIdx.x / Tile::chunks, c = threadIdx.x % Tile::chunks;
    from = x.at(i0 + (AlongK ? r : c * Tile::E), l0 + (AlongK ? c * Tile::E : r));
    down = rows_a_round * x.pitch;
    on = (AlongK ? std::int64_t(Tile::depth) : Tile::depth * x.pitch) - rounds * down;
    to = ptx::shared_address(&tile.at[Tile::place(r, c)]);
  }
  // Into the tile that lies `bytes` behind the first.
  __device__ __forceinline__ void next(std::uint32_t bytes) {
#pragma unroll
    for (int q = 0; q < rounds; ++q, from += down)
      ptx::copy_async<16>(to + bytes + q * rows_a_round * Tile::chunks * 16, from);
    from += on;
  }
};

// A block makes Down x 128 of d.
template <class T, bool AK, bool BK, int Down>
struct Pipeline {
  static constexpr int down = Down, right = 128;
  static constexpr int warp_side = 64;  // of a warp's part: 128 of its registers are sums
  static constexpr int threads = 32 * (down / warp_side) * (right / warp_side);
  static constexpr int blocks_an_sm = 256 / threads;  // by their registers
  static constexpr int stages = 3;
  using TileA = Swizzled<T, down, AK>;
  using TileB = Swizzled<T, right, BK>;
  struct Stage {
    TileA a;  // 128 bytes a row of the block
    TileB b;  // 16 KiB
  };
  static constexpr int shared_bytes = stages * sizeof(Stage);
  static constexpr int depth = TileA::depth, step = TileA::step;
  using Sum = WarpSum<T, warp_side / 16, warp_side / 8>;

  // Where this warp's part of d begins inside of the block's.
  static __device__ __forceinline__ int i0() {
    return int(threadIdx.x) / 32 / (right / warp_side) * warp_side;
  }
  static __device__ __forceinline__ int j0() {
    return int(threadIdx.x) / 32 % (right / warp_side) * warp_side;
  }

  // Adds up l from `begin`, a multiple of depth, to the end of the operands.
  static __device__ __forceinline__ void run(Sum& sum, Stage* stage, const Operand<T, AK>& a,
                                             const Operand<T, BK>& b, const Place& tile,
                                             std::int64_t begin) {
    const bool inside = a.vectors && b.vectors && tile.row + down <= a.size &&
                        tile.col + right <= b.size && (a.k - begin) % depth == 0;
    inside ? loop<true>(sum, stage, a, b, tile, begin) : loop<false>(sum, stage, a, b, tile, begin);
  }

 private:
  template <bool Inside>
  static __device__ __forceinline__ void loop(Sum& sum, Stage* stage, const Operand<T, AK>& a,
                                              const Operand<T, BK>& b, const Place& tile,
                                              std::int64_t begin) {
    const int steps = int((a.k - begin + depth - 1) / depth);
    TileCopies<TileA, T, AK, threads> copies_a(a, stage->a, tile.row, begin);
    TileCopies<TileB, T, BK, threads> copies_b(b, stage->b, tile.col, begin);
    const auto fetch_a = [&](int s, int slot) {
      if (s >= steps) return;
      if constexpr (Inside)
        copies_a.next(slot * sizeof(Stage));
      else
        stage[slot].a.template fetch_async<threads>(a, tile.row, begin + std::int64_t(s) * depth);
    };
    // Ends the step's group, an empty one behind the last: so their number says which has landed.
    const auto fetch_b = [&](int s, int slot) {
      if (s < steps) {
        if constexpr (Inside)
          copies_b.next(slot * sizeof(Stage));
        else
          stage[slot].b.template fetch_async<threads>(b, tile.col, begin + std::int64_t(s) * depth);
      }
      ptx::copy_async_commit();
    };
#pragma unroll
    for (int s = 0; s < stages - 1; ++s) {
      fetch_a(s, s);
      fetch_b(s, s);
    }
    ptx::copy_async_wait<stages - 2>();
    __syncthreads();

    constexpr int parts = depth / step;  // of a tile along k: 4
    const std::uint32_t lane_a = TileA::lane_a(i0()), lane_b = TileB::lane_b(j0());
    typename Sum::Fragments f[2];
    if (steps > 0) f[0].load(stage[0].a, stage[0].b, lane_a, lane_b, 0);
    // Once around the ring, written out: so every address is one of a few and a constant.
    [[maybe_unused]] constexpr int written_out = Inside ? stages : 1;
    for (int first = 0; first < steps; first += stages)
#pragma unroll written_out
      for (int now = 0; now < stages; ++now) {
        const int s = first + now, next = (now + 1) % stages, free = (now + stages - 1) % stages;
        if (s >= steps) break;
#pragma unroll
        for (int q = 0; q < parts; ++q) {
          if (q + 1 < parts) {
            f[(q + 1) % 2].load(stage[now].a, stage[now].b, lane_a, lane_b, (q + 1) * step);
          } else {
            ptx::copy_async_wait<stages - 2>();
            __syncthreads();  // the next tile is here, the one before this is read no more
            if (s + 1 < steps) f[0].load(stage[next].a, stage[next].b, lane_a, lane_b, 0);
          }
          if (q == 0) fetch_a(s + stages - 1, free);
          if (q == 1) fetch_b(s + stages - 1, free);
          sum.add(f[q % 2]);
        }
      }
  }
};

}  // namespace warpath::matmul
