// What becomes of a score beside its scale: the soft cap, and dropout's mask.
#pragma once
#include <cstdint>

#include "core/block/softmax_stat.cuh"
#include "core/ptx/exp2.cuh"
#include "core/ptx/reciprocal.cuh"
#include "core/thread/philox.cuh"

namespace warpath::attention {

// tanh(x) = 1 - 2 / (1 + exp(2 x)): the tanh of the special function unit has 11 bits, and an error of a logit is one of
// the probability.
__device__ __forceinline__ float capped(float x) {
  return 1.0f - 2.0f * ptx::reciprocal(1.0f + ptx::exp2(2.0f * softmax::log2_e * x));
}

// Which probabilities are dropped: see attention.h.
struct Dropout {
  std::uint64_t seed, offset, threshold;
  float kept;  // 1 / (1 - dropout); 0 where all are dropped
  bool on;

  // The words of keys 4 * group to 4 * group + 3.
  __device__ __forceinline__ PhiloxWords words(std::int64_t row, int group) const {
    return philox(philox_counter(std::uint64_t(row) << 32 | std::uint32_t(group), offset), seed);
  }
  __device__ __forceinline__ float apply(float p, std::uint32_t word) const {
    return word >= threshold ? p * kept : 0.0f;
  }
  __device__ __forceinline__ float apply(float p, std::int64_t row, int key) const {
    return on ? apply(p, words(row, key / 4).at[key % 4]) : p;
  }
};

template <class Args>
Dropout dropout_of(const Args& a) {
  return {static_cast<std::uint64_t>(a.seed), static_cast<std::uint64_t>(a.offset),
          static_cast<std::uint64_t>(a.dropout * 0x1p32),
          static_cast<float>(a.dropout < 1 ? 1 / (1 - a.dropout) : 0), a.dropout > 0};
}

// Bit 4 n + w: whether dropout keeps what belongs to word w of the nth call of the generator.
template <int Count, class F>
__device__ __forceinline__ unsigned kept_words(const Dropout& dropout, F&& words_of) {
  unsigned kept = 0;
#pragma unroll 1
  for (int n = 0; n < Count; ++n) {
    const PhiloxWords words = words_of(n);
#pragma unroll
    for (int w = 0; w < 4; ++w) kept |= unsigned(words.at[w] >= dropout.threshold) << (4 * n + w);
  }
  return kept;
}

// Bit 4 n + e: whether dropout keeps element e of this lane of the nth 16 x 8 accumulator, at most 8 of them.
//
// With the keys along the rows, four neighbouring keys belong to two lanes: each makes the calls of one of the two rows that
// they share, 8 apart, and they exchange the bits. words_of(n, which of the two rows)
template <int Count, class F>
__device__ __forceinline__ unsigned kept_along(const Dropout& dropout, F&& words_of) {
  const int odd = threadIdx.x % 2;
  const unsigned mine = kept_words<Count>(dropout, [&](int n) { return words_of(n, odd); });
  const unsigned other = __shfl_xor_sync(0xffffffffu, mine, 1);
  const unsigned upper = odd ? other : mine, lower = odd ? mine : other;
  return (upper >> 2 * odd & 0x33333333u) | (lower >> 2 * odd & 0x33333333u) << 2;
}
// With the keys down the columns, they belong to four lanes: each makes the calls of one e for all of them.
// words_of(n, e)
template <int Count, class F>
__device__ __forceinline__ unsigned kept_down(const Dropout& dropout, F&& words_of) {
  const int lane = threadIdx.x % 32, e = lane / 4 % 4;
  const unsigned mine = kept_words<Count>(dropout, [&](int n) { return words_of(n, e); });
  unsigned kept = 0;
#pragma unroll
  for (int from = 0; from < 4; ++from) {
    const unsigned other = __shfl_sync(0xffffffffu, mine, (lane & ~12) | from * 4);
    kept |= (other >> e & 0x11111111u) << from;
  }
  return kept;
}

}  // namespace warpath::attention
