// Philox against the known answers that its authors publish (Random123, tests/kat_vectors, philox4x32 with 10 rounds).
#include "core/thread/philox.cuh"

#include <gtest/gtest.h>

using namespace warpath;

namespace {

constexpr std::uint64_t pi_key = 0x299f31d0a4093822;
constexpr PhiloxWords pi_counter = {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}};

TEST(Philox, KnownAnswers) {
  const PhiloxWords zeros = {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}};
  EXPECT_EQ(philox({{0, 0, 0, 0}}, 0), zeros);
  const PhiloxWords ones = {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}};
  EXPECT_EQ(philox({{~0u, ~0u, ~0u, ~0u}}, ~std::uint64_t(0)), ones);
  const PhiloxWords pi = {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
  EXPECT_EQ(philox(pi_counter, pi_key), pi);
}

TEST(Philox, KeysMadeBefore) {
  constexpr PhiloxKeys keys = PhiloxKeys::of(pi_key);
  static_assert(keys.even[0] == 0xa4093822 && keys.odd[0] == 0x299f31d0);
  EXPECT_EQ(philox(pi_counter, keys), philox(pi_counter, pi_key));
}

TEST(Philox, CounterOfTwoHalves) {
  const PhiloxWords words = {{0x89abcdef, 0x01234567, 0x76543210, 0xfedcba98}};
  EXPECT_EQ(philox_counter(0x0123456789abcdef, 0xfedcba9876543210), words);
}

TEST(Philox, StreamHasTheSameWords) {
  for (const std::uint64_t high : {0x0ull, 0x5ull, 0xfedcba9876543210ull, ~0ull})
    for (const std::uint32_t low : {0u, 1u, 0x243f6a88u, ~0u})
      EXPECT_EQ(PhiloxStream::of(pi_key, high).words(low),
                philox(philox_counter(low, high), pi_key));
}

TEST(Philox, UniformInUnitInterval) {
  EXPECT_EQ(uniform_float(0), 0.0f);
  EXPECT_EQ(uniform_float(0x80000000), 0.5f);
  EXPECT_EQ(uniform_float(0xffffffff), 1 - 0x1p-24f);
  double sum = 0, squares = 0;
  constexpr int n = 1 << 16;
  for (int i = 0; i < n / 4; ++i)
    for (const std::uint32_t word : philox(philox_counter(i, 0), 7).at) {
      const double u = uniform_float(word);
      sum += u;
      squares += u * u;
    }
  EXPECT_NEAR(sum / n, 1.0 / 2, 0.006);  // five standard deviations of the mean: 5 sqrt(1 / 12 n)
  EXPECT_NEAR(squares / n, 1.0 / 3, 0.006);
}

}  // namespace
