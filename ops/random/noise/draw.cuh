// What the rungs get as a parameter, and how a word becomes an element.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "core/thread/philox.cuh"
#include "ops/random/noise/noise.h"
#include "ops/random/normal.cuh"

namespace warpath::noise {

// Binary digits of a type's numbers, the leading one included.
template <class T>
inline constexpr int digits = 24;
template <>
inline constexpr int digits<__half> = 11;
template <>
inline constexpr int digits<__nv_bfloat16> = 8;

// Key: the seed, or PhiloxKeys made from it.
template <class Key>
struct Draw {
  Key key;
  std::uint64_t offset;
  std::uint32_t threshold;  // of bernoulli: a word below it is a 1
  bool all;                 // p = 1: no threshold of 32 bits is above every word
  float scale, shift;

  // The words of elements 4 * group to 4 * group + 3.
  __device__ __forceinline__ PhiloxWords words(std::int64_t group) const {
    return philox(philox_counter(std::uint64_t(group), offset), key);
  }
  __device__ __forceinline__ float bernoulli(std::uint32_t word) const {
    return all || word < threshold ? 1.0f : 0.0f;
  }
  __device__ __forceinline__ float placed(float x) const { return fmaf(scale, x, shift); }
};

template <class Key>
Draw<Key> draw_of(const Args& args, const Key& key) {
  WARPATH_CHECK(args.p >= 0 && args.p <= 1, "noise: p must be between 0 and 1");
  const bool all = args.p >= 1;
  return {key,
          static_cast<std::uint64_t>(args.offset),
          all ? 0 : static_cast<std::uint32_t>(args.p * 0x1p32),
          all,
          static_cast<float>(args.scale),
          static_cast<float>(args.shift)};
}

inline Draw<std::uint64_t> draw_of(const Args& args) {
  return draw_of(args, static_cast<std::uint64_t>(args.seed));
}

// Elements 4 * group to 4 * group + 3, as floats. Quick: by the special function unit.
template <class T, bool Quick = false, class Key>
__device__ __forceinline__ void draw_four(float (&out)[4], const Draw<Key>& draw,
                                          Distribution distribution, std::int64_t group) {
  const PhiloxWords words = draw.words(group);
  if (distribution == Distribution::normal) {
#pragma unroll
    for (int k = 0; k < 4; k += 2) {
      const NormalPair pair = Quick ? quick_normal_pair(words.at[k], words.at[k + 1])
                                    : accurate_normal_pair(words.at[k], words.at[k + 1]);
      out[k] = draw.placed(pair.first);
      out[k + 1] = draw.placed(pair.second);
    }
    return;
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const bool uniform = distribution == Distribution::uniform;
    const std::uint32_t word = words.at[k];
    out[k] = draw.placed(uniform ? uniform_digits<digits<T>>(word) : draw.bernoulli(word));
  }
}

}  // namespace warpath::noise
