// Philox4x32-10: random numbers without a state (Salmon et al., "Parallel Random Numbers: As Easy as
// 1, 2, 3", SC 2011).
//
// A counter of 128 bits and a key of 64 give four 32-bit words; every counter gives its own four, in
// any order, on any thread. Ten rounds of two multiplications and some exclusive-ors scramble the
// counter; the key changes by a constant from round to round. The words pass the statistical tests of
// TestU01 (BigCrush), whichever bits of the counter are counted up.
//
// Functions are constexpr and nothing else: host code and kernels compile the same ones, and the same
// counter and key give the same words everywhere.
#pragma once
#include <cstdint>

namespace warpath {

struct PhiloxWords {
  std::uint32_t at[4];

  constexpr bool operator==(const PhiloxWords&) const = default;
};

// The keys of all rounds. They depend on the key alone: a launcher that makes them once and passes
// them to its kernel saves every thread the additions, as kernel parameters are operands that an
// instruction reads at no cost.
struct PhiloxKeys {
  static constexpr int rounds = 10;
  std::uint32_t even[rounds], odd[rounds];

  // The key's low word is the first of the two that the paper writes, its high word the second.
  static constexpr PhiloxKeys of(std::uint64_t key) {
    PhiloxKeys keys{};
    std::uint32_t even = std::uint32_t(key), odd = std::uint32_t(key >> 32);
    for (int r = 0; r < rounds; ++r) {
      keys.even[r] = even;
      keys.odd[r] = odd;
      even += 0x9E3779B9u;  // the golden ratio
      odd += 0xBB67AE85u;   // sqrt(3) - 1
    }
    return keys;
  }
};

// A counter of two 64-bit halves, each with its low word first.
constexpr PhiloxWords philox_counter(std::uint64_t low, std::uint64_t high) {
  return {{std::uint32_t(low), std::uint32_t(low >> 32), std::uint32_t(high),
           std::uint32_t(high >> 32)}};
}

// Both halves of a 64-bit product are used: one wide multiplication each on a GPU.
constexpr PhiloxWords philox_round(PhiloxWords c, std::uint32_t even, std::uint32_t odd) {
  const std::uint64_t a = std::uint64_t(0xD2511F53u) * c.at[0];
  const std::uint64_t b = std::uint64_t(0xCD9E8D57u) * c.at[2];
  return {{std::uint32_t(b >> 32) ^ c.at[1] ^ even, std::uint32_t(b),
           std::uint32_t(a >> 32) ^ c.at[3] ^ odd, std::uint32_t(a)}};
}

constexpr PhiloxWords philox(PhiloxWords counter, const PhiloxKeys& keys) {
  for (int r = 0; r < PhiloxKeys::rounds; ++r)
    counter = philox_round(counter, keys.even[r], keys.odd[r]);
  return counter;
}
constexpr PhiloxWords philox(PhiloxWords counter, std::uint64_t key) {
  return philox(counter, PhiloxKeys::of(key));
}

// The calls of one stream: counters that differ in their lowest word alone. What the first two rounds make of the other
// three words, two of their four products among it, is the same for all calls and comes from the host.
struct PhiloxStream {
  std::uint32_t third, first_of_two, third_of_two;  // joined in the first and the second round
  PhiloxKeys keys;                                  // of the third round on

  // `high`: the upper 64 bits of the counters.
  static constexpr PhiloxStream of(std::uint64_t key, std::uint64_t high) {
    PhiloxKeys keys = PhiloxKeys::of(key);
    // For a product of zero in the first round: what the other words make.
    const PhiloxWords one = philox_round(philox_counter(0, high), keys.even[0], keys.odd[0]);
    const PhiloxWords two = philox_round({{one.at[0], one.at[1], 0, 0}}, keys.even[1], keys.odd[1]);
    keys.odd[2] ^= two.at[3];
    return {one.at[2], two.at[0], two.at[2], keys};
  }
  constexpr PhiloxWords words(std::uint32_t low) const {
    const std::uint64_t a = std::uint64_t(0xD2511F53u) * low;
    const std::uint64_t b = std::uint64_t(0xCD9E8D57u) * (std::uint32_t(a >> 32) ^ third);
    PhiloxWords c{{std::uint32_t(b >> 32) ^ first_of_two, std::uint32_t(b),
                   std::uint32_t(a) ^ third_of_two, 0}};
    for (int r = 2; r < PhiloxKeys::rounds; ++r) c = philox_round(c, keys.even[r], keys.odd[r]);
    return c;
  }
};

// Uniform in [0, 1): the 24 bits that a float holds, so every value is exact and 1 never comes.
constexpr float uniform_float(std::uint32_t word) {
  return float(word >> 8) * 0x1p-24f;
}

}  // namespace warpath
