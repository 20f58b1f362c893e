// The main loop of rungs 11 and 12: tiles come by cp.async two steps ahead, fragments one step.
#pragma once
#include "swizzled.cuh"

namespace warpath::matmul {

template <class T, bool AK, bool BK>
struct Pipeline {
  static constexpr int down = 128, right = 128;  // a block's part of d
  static constexpr int warp_side = 64;           // a warp's: 128 of its registers are sums
  static constexpr int threads = 32 * (down / warp_side) * (right / warp_side);
  static constexpr int stages = 3;
  struct Stage {
    Swizzled<T, down, AK> a;   // 16 KiB
    Swizzled<T, right, BK> b;  // 16 KiB
  };
  static constexpr int shared_bytes = stages * sizeof(Stage);
  static constexpr int depth = Swizzled<T, down, AK>::depth, step = Swizzled<T, down, AK>::step;
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
    const int steps = int((a.k - begin + depth - 1) / depth);
    const auto fetch_a = [&](int s, int slot) {
      if (s < steps)
        stage[slot].a.template fetch_async<threads>(a, tile.row, begin + std::int64_t(s) * depth);
    };
    // Ends the step's group, an empty one behind the last: so their number says which has landed.
    const auto fetch_b = [&](int s, int slot) {
      if (s < steps)
        stage[slot].b.template fetch_async<threads>(b, tile.col, begin + std::int64_t(s) * depth);
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
    const std::uint32_t lane_a = Swizzled<T, down, AK>::lane_a(i0());
    const std::uint32_t lane_b = Swizzled<T, right, BK>::lane_b(j0());
    typename Sum::Fragments f[2];
    if (steps > 0) f[0].load(stage[0].a, stage[0].b, lane_a, lane_b, 0);
    int now = 0, free = stages - 1;
    for (int s = 0; s < steps; ++s) {
      const int next = now + 1 == stages ? 0 : now + 1;
#pragma unroll
      for (int q = 0; q < parts; ++q) {
        if (q + 1 < parts) {
          f[(q + 1) % 2].load(stage[now].a, stage[now].b, lane_a, lane_b, (q + 1) * step);
        } else {
          ptx::copy_async_wait<stages - 2>();
          __syncthreads();  // the next tile is here, and nobody reads the one before this any more
          if (s + 1 < steps) f[0].load(stage[next].a, stage[next].b, lane_a, lane_b, 0);
        }
        if (q == 0) fetch_a(s + stages - 1, free);
        if (q == 1) fetch_b(s + stages - 1, free);
        sum.add(f[q % 2]);
      }
      free = now;
      now = next;
    }
  }
};

}  // namespace warpath::matmul
