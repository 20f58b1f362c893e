#include "harness/convert.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "harness/fill.h"

using namespace warpath;
using namespace warpath::harness;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::uint16_t encode16(double x, DType d) {
  std::uint16_t bits = 0;
  encode(&x, d, &bits, 1);
  return bits;
}

double decode16(std::uint16_t bits, DType d) {
  double x = 0;
  decode(&bits, d, &x, 1);
  return x;
}

class SmallFloat : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(Types, SmallFloat, testing::Values(DType::f16, DType::bf16),
                         [](const auto& i) { return std::string(name(i.param)); });

TEST_P(SmallFloat, EveryValueComesBack) {
  for (int bits = 0; bits < 65536; ++bits) {
    const double x = decode16(static_cast<std::uint16_t>(bits), GetParam());
    if (std::isnan(x))
      EXPECT_TRUE(std::isnan(decode16(encode16(x, GetParam()), GetParam())));
    else
      ASSERT_EQ(encode16(x, GetParam()), bits) << x;
  }
}

// Between every two neighbours: the middle rounds to the even one, a value slightly off the middle
// to the nearer.
TEST_P(SmallFloat, RoundsToNearestEven) {
  const std::uint16_t top = encode16(largest(GetParam()), GetParam());
  for (std::uint16_t low = 0; low < top; ++low) {
    const auto high = static_cast<std::uint16_t>(low + 1);
    const double a = decode16(low, GetParam()), b = decode16(high, GetParam());
    const double middle = (a + b) / 2;
    ASSERT_EQ(encode16(middle, GetParam()), low % 2 == 0 ? low : high) << middle;
    ASSERT_EQ(encode16(std::nextafter(middle, a), GetParam()), low);
    ASSERT_EQ(encode16(std::nextafter(middle, infinity), GetParam()), high);
    ASSERT_EQ(encode16(-std::nextafter(middle, infinity), GetParam()), high | 0x8000);
  }
}

TEST_P(SmallFloat, OverflowsWhereItShould) {
  const double most = largest(GetParam());
  const double border = most + ulp(most, GetParam()) / 2;
  EXPECT_EQ(round_to(std::nextafter(border, 0), GetParam()), most);
  EXPECT_EQ(round_to(border, GetParam()), infinity);
  EXPECT_EQ(round_to(-infinity, GetParam()), -infinity);
  EXPECT_EQ(round_to(1e300, GetParam()), infinity);
}

TEST_P(SmallFloat, SmallestAndSignedZero) {
  EXPECT_EQ(encode16(smallest(GetParam()), GetParam()), 1);
  EXPECT_EQ(encode16(smallest(GetParam()) / 2, GetParam()), 0);  // a tie, and zero is even
  EXPECT_EQ(encode16(std::nextafter(smallest(GetParam()) / 2, 1), GetParam()), 1);
  EXPECT_EQ(encode16(-0.0, GetParam()), 0x8000);
  EXPECT_EQ(encode16(1e-300, GetParam()), 0);
}

// By way of f32, 1 + 2^-11 + 2^-30 would be rounded twice, to the wrong side.
TEST(Convert, RoundsOnce) {
  EXPECT_EQ(round_to(1 + 0x1p-11 + 0x1p-30, DType::f16), 1 + 0x1p-10);
  EXPECT_EQ(round_to(1 + 0x1p-8 + 0x1p-40, DType::bf16), 1 + 0x1p-7);
}

TEST(Convert, UlpAtTheEdges) {
  EXPECT_EQ(ulp(1, DType::f32), 0x1p-23);
  EXPECT_EQ(ulp(std::nextafter(2.0, 0), DType::f32), 0x1p-23);
  EXPECT_EQ(ulp(2, DType::f32), 0x1p-22);
  EXPECT_EQ(ulp(0, DType::f32), 0x1p-149);
  EXPECT_EQ(ulp(1e-44, DType::f32), 0x1p-149);
  EXPECT_EQ(ulp(0, DType::f16), 0x1p-24);
  EXPECT_EQ(ulp(65504, DType::f16), 32);
  EXPECT_EQ(ulp(1e9, DType::f16), 32);
  EXPECT_EQ(ulp(-1, DType::bf16), 0x1p-7);
  EXPECT_EQ(ulp(0, DType::bf16), 0x1p-133);
  EXPECT_EQ(ulp(12345, DType::i32), 1);
}

TEST(Convert, IntegersSaturate) {
  EXPECT_EQ(round_to(3e9, DType::i32), 2147483647.0);
  EXPECT_EQ(round_to(-3e9, DType::i32), -2147483648.0);
  EXPECT_EQ(round_to(std::nan(""), DType::i32), 0);
  EXPECT_EQ(round_to(300, DType::u8), 255);
  EXPECT_EQ(round_to(-5, DType::u8), 0);
  EXPECT_EQ(round_to(40'000, DType::i16), 32'767);
  EXPECT_EQ(round_to(-40'000, DType::i16), -32'768);
  EXPECT_EQ(round_to(-200, DType::i8), -128);
  EXPECT_EQ(round_to(70'000, DType::u16), 65'535);
  EXPECT_EQ(round_to(3e9, DType::u32), 3e9);
  EXPECT_EQ(round_to(-1, DType::u32), 0);
  EXPECT_EQ(round_to(1e19, DType::u64), 1e19);
  EXPECT_EQ(round_to(1e300, DType::u64), 0x1p64);
  EXPECT_EQ(round_to(7, DType::boolean), 1);
  EXPECT_EQ(round_to(1e300, DType::i64),
            static_cast<double>(std::numeric_limits<std::int64_t>::max()));
}

TEST(Convert, PositionsKeepAllTheirBits) {
  const std::int64_t big = (std::int64_t{1} << 62) + 1;
  std::int64_t there = 0, back = 0;
  encode_index(&big, DType::i64, &there, 1);
  decode_index(&there, DType::i64, &back, 1);
  EXPECT_EQ(back, big);
}

}  // namespace
