// The tiles of 06, and what a thread has of one: it is tested and ranked in registers.
#pragma once
#include "ops/order/look_back.cuh"
#include "ops/order/select/tested.cuh"

namespace warpath::select {

inline constexpr int workers = 512;
inline constexpr int vectors = 4;
template <class T>
inline constexpr int tile_of = workers* vectors* lanes_of_16<T>;  // 32 KiB
inline constexpr int stage_bytes = workers * vectors * 16;

// A tile's first place in x, which may be before x.
template <class T>
__device__ __forceinline__ std::int64_t begin_of(const Call<T>& call, int tile) {
  return std::int64_t(tile) * tile_of<T> - skipped(call.x);
}
template <class T>
__device__ __forceinline__ bool inside(const Call<T>& call, std::int64_t begin) {
  return begin >= 0 && begin + tile_of<T> <= call.n;
}

// A worker's elements of a tile; bit k * E + e stands for element e of vector k.
template <class T>
struct Share {
  static constexpr int E = lanes_of_16<T>;
  static constexpr unsigned every = unsigned((1ull << (vectors * E)) - 1);
  struct Flags {
    unsigned words[E / 4];  // of a vector: four bytes each
  };
  uint4 in[vectors];  // words: elements of two bytes would occupy a register each
  unsigned exists, kept;

  // Element e of a vector, from the word that it is in.
  static __device__ __forceinline__ T at_of(unsigned word, int e) {
    if constexpr (sizeof(T) == 4) {
      return reinterpret_cast<const T&>(word);
    } else {
      const auto half = static_cast<unsigned short>(word >> (e % 2 * 16));
      return reinterpret_cast<const T&>(half);
    }
  }
  __device__ __forceinline__ T at(int k, int e) const {
    return at_of(reinterpret_cast<const unsigned(&)[4]>(in[k])[e * 4 / E], e);
  }

  // The place of vector k in its tile.
  static __device__ __forceinline__ int place(int k) {
    return ((threadIdx.x / 32 * vectors + k) * 32 + threadIdx.x % 32) * E;
  }
  static __device__ __forceinline__ void fetch_flags(Flags (&flags)[vectors], const Call<T>& call,
                                                     std::int64_t begin) {
    const bool whole =
        inside(call, begin) && reinterpret_cast<std::uintptr_t>(call.flags + begin) % 4 == 0;
#pragma unroll
    for (int k = 0; k < vectors; ++k)
#pragma unroll
      for (int w = 0; w < E / 4; ++w) {
        const std::int64_t at = begin + place(k) + 4 * w;
        flags[k].words[w] = 0;
        if (whole) {
          flags[k].words[w] = __ldcs(reinterpret_cast<const unsigned*>(call.flags + at));
        } else {
#pragma unroll 1
          for (int e = 0; e < 4; ++e)
            if (at + e >= 0 && at + e < call.n)
              flags[k].words[w] |= unsigned(call.flags[at + e]) << (8 * e);
        }
      }
  }

  // A tile that is not whole is not in `places` yet.
  __device__ __forceinline__ void load(const Call<T>& call, T* places, std::int64_t begin) {
    exists = every;
    if (!inside(call, begin)) {
      exists = 0;
#pragma unroll 1
      for (int i = 0; i < vectors * E; ++i) {
        const int to = place(i / E) + i % E;
        const bool here = begin + to >= 0 && begin + to < call.n;
        places[to] = here ? call.x[begin + to] : T(0);
        exists |= unsigned(here) << i;
      }
    }
#pragma unroll
    for (int k = 0; k < vectors; ++k) in[k] = *reinterpret_cast<const uint4*>(places + place(k));
  }

  // f(k, e): whether the element is kept.
  template <class F>
  __device__ __forceinline__ void keep(F f) {
    kept = 0;
#pragma unroll
    for (int k = 0; k < vectors; ++k)
#pragma unroll
      for (int e = 0; e < E; ++e)
        if (f(k, e)) kept |= 1u << (k * E + e);
    kept &= exists;
  }
  __device__ __forceinline__ void test(const Call<T>& call, const T* places, std::int64_t begin,
                                       const Flags (&flags)[vectors]) {
    if (call.test == Test::above) {
      keep([&](int k, int e) { return value_of(at(k, e)) > call.threshold; });
    } else if (call.test == Test::flags) {
      keep([&](int k, int e) { return (flags[k].words[e / 4] >> (e % 4 * 8) & 0xff) != 0; });
    } else if (call.test == Test::nonzero) {
      keep([&](int k, int e) { return value_of(at(k, e)) != Value<T>(0); });
    } else {
      const bool loaded = inside(call, begin);
      T before[vectors];  // of each vector: the last element of the lane below
#pragma unroll
      for (int k = 0; k < vectors; ++k) {
        const unsigned word = __shfl_up_sync(full_mask, in[k].w, 1);
        before[k] = at_of(word, E - 1);
        const std::int64_t i = begin + place(k) - 1;
        if (threadIdx.x % 32 == 0 && i >= 0 && i < call.n)
          before[k] = loaded && place(k) > 0 ? places[place(k) - 1] : call.x[i];
      }
      keep([&](int k, int e) {
        return value_of(at(k, e)) != value_of(e > 0 ? at(k, e - 1) : before[k]) ||
               begin + place(k) + e == 0;
      });
    }
  }

  // Kept elements before each vector in its warp, and in the whole warp. A field of a word holds 32 times E.
  __device__ __forceinline__ int rank(int (&before)[vectors]) const {
    constexpr int fields = E == 4 ? 4 : 2, bits = 32 / fields;
    int in_warp = 0;
#pragma unroll
    for (int k = 0; k < vectors; k += fields) {
      unsigned mine = 0;
#pragma unroll
      for (int f = 0; f < fields; ++f)
        mine |= unsigned(__popc(kept >> ((k + f) * E) & ((1u << E) - 1))) << (f * bits);
      const unsigned up_to = warp_scan(mine, Sum{}), all = shuffle(up_to, 31);
#pragma unroll
      for (int f = 0; f < fields; ++f) {
        before[k + f] = in_warp + int((up_to - mine) >> (f * bits) & ((1u << bits) - 1));
        in_warp += int(all >> (f * bits) & ((1u << bits) - 1));
      }
    }
    return in_warp;
  }

  // To the front of the tile's places what is kept, at its rank; with Partition to the end what is not.
  template <bool Partition>
  __device__ __forceinline__ void put(T* places, int rank, int k, int place) const {
#pragma unroll
    for (int e = 0; e < E; ++e) {
      if (kept >> (k * E + e) & 1)
        places[rank++] = at(k, e);
      else if (Partition && exists >> (k * E + e) & 1)
        places[tile_of<T> - 1 - (place + e - rank)] = at(k, e);
    }
  }
};

}  // namespace warpath::select
