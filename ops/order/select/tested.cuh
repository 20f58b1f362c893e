// What 04 and 05 share: a vector of x with what is kept of it, and stores of what was kept.
#pragma once
#include "core/thread/vector.cuh"
#include "ops/order/select/call.cuh"

namespace warpath::select {

// Vectors are counted from the 16-byte boundary at or before x: so many places before it are empty.
template <class T>
__host__ __device__ __forceinline__ int skipped(const T* x) {
  return int(reinterpret_cast<std::uintptr_t>(x) % 16 / sizeof(T));
}

// How many tiles of so many bytes x has, counted from there; at least one.
inline std::int64_t tiles_of(const Args& args, std::int64_t tile_bytes) {
  std::int64_t tiles = 1;
  dispatch_select(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    tiles = ceil_div(args.x.size() + skipped(args.x.as<T>()), tile_bytes / std::int64_t(sizeof(T)));
  });
  return std::max<std::int64_t>(1, tiles);
}

// One vector of x, and which of its elements exist and are kept, as bits.
template <class T>
struct Tested {
  static constexpr int E = lanes_of_16<T>;
  Vector<T, E> in;
  unsigned exists, kept;

  // Which of the elements [at, at + E) exist: all of them where `inside`.
  __device__ __forceinline__ void find(const Call<T>& call, std::int64_t at, bool inside) {
    exists = (1u << E) - 1;
    if (inside) return;
    exists = 0;
#pragma unroll
    for (int e = 0; e < E; ++e) exists |= unsigned(at + e >= 0 && at + e < call.n) << e;
  }

  // Elements [at, at + E); all of them exist where `inside`, which is the same for the whole warp.
  __device__ __forceinline__ void load(const Call<T>& call, std::int64_t at, bool inside) {
    if (inside) {
      in = load_once<E>(call.x + at);
      exists = (1u << E) - 1;
      return;
    }
    exists = 0;
#pragma unroll
    for (int e = 0; e < E; ++e) {
      const bool here = at + e >= 0 && at + e < call.n;
      in.at[e] = here ? call.x[at + e] : T(0);
      exists |= unsigned(here) << e;
    }
  }

  __device__ __forceinline__ void test(const Call<T>& call, std::int64_t at) {
    kept = 0;
    if (call.test == Test::flags) {
      if (exists == (1u << E) - 1 && reinterpret_cast<std::uintptr_t>(call.flags + at) % E == 0) {
        const Vector<unsigned char, E> flags = load_once<E>(call.flags + at);
#pragma unroll
        for (int e = 0; e < E; ++e) kept |= unsigned(flags.at[e] != 0) << e;
      } else {
#pragma unroll
        for (int e = 0; e < E; ++e)
          if (exists >> e & 1) kept |= unsigned(call.flags[at + e] != 0) << e;
      }
    } else if (call.test == Test::unique) {
      // The element before the vector is the last one of the lane below.
      Value<T> before = shuffle_up(value_of(in.at[E - 1]), 1);
      if (threadIdx.x % 32 == 0 && at > 0 && at < call.n) before = value_of(call.x[at - 1]);
#pragma unroll
      for (int e = 0; e < E; ++e) {
        const Value<T> mine = value_of(in.at[e]);
        kept |= unsigned(mine != before || at + e == 0) << e;
        before = mine;
      }
    } else {
      const bool above = call.test == Test::above;
#pragma unroll
      for (int e = 0; e < E; ++e) {
        const Value<T> mine = value_of(in.at[e]);
        kept |= unsigned(above ? mine > call.threshold : mine != Value<T>(0)) << e;
      }
    }
    kept &= exists;
  }
};

// From shared memory to `n` neighbouring places, by words of four bytes.
template <int Threads, class T>
__device__ __forceinline__ void store_run(T* to, const T* from, int n) {
  if constexpr (sizeof(T) == 4) {
#pragma unroll 4
    for (int i = threadIdx.x; i < n; i += Threads) to[i] = from[i];
  } else {
    const int odd = n > 0 && reinterpret_cast<std::uintptr_t>(to) % 4 != 0;
    if (odd && threadIdx.x == 0) to[0] = from[0];
    for (int i = odd + 2 * threadIdx.x; i + 1 < n; i += 2 * Threads)
      store<2>(to + i, Vector<T, 2>{from[i], from[i + 1]});
    if ((n - odd) % 2 == 1 && threadIdx.x == 1) to[n - 1] = from[n - 1];
  }
}

// Kept elements before each of a thread's vectors in its warp, and in the whole warp. The counts of two vectors share a
// word, so two scans by shuffles rank four vectors.
template <int Vectors, class T>
__device__ __forceinline__ int rank_vectors(const Tested<T> (&v)[Vectors], int (&before)[Vectors]) {
  static_assert(Vectors % 2 == 0);
  int in_warp = 0;
#pragma unroll
  for (int k = 0; k < Vectors; k += 2) {
    const unsigned mine = __popc(v[k].kept) | __popc(v[k + 1].kept) << 16;
    const unsigned up_to = warp_scan(mine, Sum{}), all = shuffle(up_to, 31);
    before[k] = in_warp + int((up_to - mine) & 0xffff);
    in_warp += int(all & 0xffff);
    before[k + 1] = in_warp + int((up_to - mine) >> 16);
    in_warp += int(all >> 16);
  }
  return in_warp;
}

}  // namespace warpath::select
