// Which elements are kept, from the four words of a Philox call; what the rungs get as a parameter.
#pragma once
#include <cstdint>

#include "core/host/error.h"
#include "core/thread/philox.cuh"

namespace warpath::dropout {

// Key: the seed, or PhiloxKeys made from it.
template <class Key>
struct Mask {
  Key key;
  std::uint64_t offset;
  std::uint32_t threshold;  // a word below it drops its element
  bool all;                 // p = 1: no threshold of 32 bits drops every word
  float scale;

  // The words of elements 4 * group to 4 * group + 3.
  __device__ __forceinline__ PhiloxWords words(std::int64_t group) const {
    return philox(philox_counter(std::uint64_t(group), offset), key);
  }
  // A choice between two values, not a product with 0 or 1: 0 * inf is NaN.
  __device__ __forceinline__ float apply(float x, std::uint32_t word) const {
    return !all && word >= threshold ? x * scale : 0.0f;
  }
};

template <class Key, class Args>
Mask<Key> mask_of(const Args& args, const Key& key) {
  WARPATH_CHECK(args.p >= 0 && args.p <= 1, "dropout: p must be between 0 and 1");
  const bool all = args.p >= 1;
  return {key, static_cast<std::uint64_t>(args.offset),
          all ? 0 : static_cast<std::uint32_t>(args.p * 0x1p32), all,
          static_cast<float>(1 / (1 - args.p))};
}

template <class Args>
Mask<std::uint64_t> mask_of(const Args& args) {
  return mask_of(args, static_cast<std::uint64_t>(args.seed));
}

}  // namespace warpath::dropout
