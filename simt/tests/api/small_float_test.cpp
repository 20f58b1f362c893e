// Arithmetic of 16-bit floats against exact arithmetic rounded once by the reference.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include "reference.h"

namespace {

using reference::Format;
using reference::Mode;
using reference::Wide;

template <class T>
T pattern(unsigned bits) {
  T value;
  value.__x = static_cast<unsigned short>(bits);
  return value;
}

// Finite operands with exponents close enough that 113 bits hold every intermediate result.
template <class T>
T operand(reference::Numbers& numbers, const Format& f) {
  const unsigned exponent_bits = f.top >> f.mantissa_bits;
  const unsigned span = exponent_bits < 40 ? exponent_bits + 1 : 40;
  const unsigned first = (exponent_bits + 1 - span) / 2;
  const unsigned exponent = first + static_cast<unsigned>(numbers.bits() % span);
  const unsigned mantissa = static_cast<unsigned>(numbers.bits()) & ((1u << f.mantissa_bits) - 1);
  const unsigned sign = numbers.bits() & 1 ? f.sign : 0;
  return pattern<T>(sign | exponent << f.mantissa_bits | mantissa);
}

template <class T>
void arithmetic(const Format& f) {
  const std::vector<double> values = reference::magnitudes(f);
  reference::Numbers numbers(5);
  const auto rounded = [&](Wide exact, bool negative_zero) {
    const bool negative = exact < 0 || (exact == 0 && negative_zero);
    return reference::encode(f, values, exact, negative, Mode::nearest);
  };
  for (int i = 0; i < 300'000; ++i) {
    const T a = operand<T>(numbers, f), b = operand<T>(numbers, f), c = operand<T>(numbers, f);
    const double x = reference::decode(f, a.__x), y = reference::decode(f, b.__x),
                 z = reference::decode(f, c.__x);
    const Wide product = static_cast<Wide>(x) * static_cast<Wide>(y);
    const bool signs = std::signbit(x) != std::signbit(y);
    ASSERT_EQ(__hadd(a, b).__x, rounded(static_cast<Wide>(x) + static_cast<Wide>(y),
                                        std::signbit(x) && std::signbit(y)))
        << x << " + " << y;
    ASSERT_EQ(__hsub(a, b).__x, rounded(static_cast<Wide>(x) - static_cast<Wide>(y),
                                        std::signbit(x) && !std::signbit(y)))
        << x << " - " << y;
    ASSERT_EQ(__hmul(a, b).__x, rounded(product, signs)) << x << " * " << y;
    ASSERT_EQ(__hfma(a, b, c).__x,
              rounded(product + static_cast<Wide>(z), signs && std::signbit(z)))
        << x << " * " << y << " + " << z;
    if (y != 0) {
      // A quotient of two such short numbers is never near a tie unless it is one exactly.
      ASSERT_EQ(__hdiv(a, b).__x, rounded(static_cast<Wide>(x) / static_cast<Wide>(y), signs))
          << x << " / " << y;
    }
  }
}

TEST(HalfArithmetic, IsExactRoundedOnce) {
  arithmetic<__half>(reference::half);
}
TEST(Bfloat16Arithmetic, IsExactRoundedOnce) {
  arithmetic<__nv_bfloat16>(reference::bfloat16);
}

// The product is a tie in bfloat16 and the addend is too small for any double beside it.
TEST(Bfloat16Arithmetic, FusedMultiplyAddKeepsTheSmallestBit) {
  const __nv_bfloat16 a(1.0f + 0x1p-4f), b(1.0f + 0x1p-4f);  // product 1 + 2^-3 + 2^-8
  EXPECT_EQ(__hfma(a, b, __nv_bfloat16(0.0f)).__x, 0x3F90);
  EXPECT_EQ(__hfma(a, b, __nv_bfloat16(0x1p-100f)).__x, 0x3F91);
  EXPECT_EQ(__hfma(a, b, __nv_bfloat16(-0x1p-100f)).__x, 0x3F90);
}

TEST(HalfArithmetic, NotANumber) {
  const __half nan = CUDART_NAN_FP16, one = CUDART_ONE_FP16, inf = CUDART_INF_FP16;
  EXPECT_EQ(__hadd(nan, one).__x, 0x7FFF);
  EXPECT_EQ(__hsub(inf, inf).__x, 0x7FFF);
  EXPECT_EQ(__hmax(nan, one).__x, one.__x);
  EXPECT_EQ(__hmin(one, nan).__x, one.__x);
  EXPECT_EQ(__hmax_nan(nan, one).__x, 0x7FFF);
  EXPECT_EQ(__hadd_sat(nan, one).__x, 0);
  EXPECT_FALSE(__heq(nan, nan));
  EXPECT_FALSE(__hne(nan, one));
  EXPECT_TRUE(__hneu(nan, one));
  EXPECT_TRUE(nan != one);
  EXPECT_TRUE(__hltu(nan, one));
  EXPECT_TRUE(__hisnan(nan));
  EXPECT_EQ(__hisinf(inf), 1);
  EXPECT_EQ(__hisinf(__hneg(inf)), -1);
}

TEST(HalfArithmetic, OperatorsAndPairs) {
  __half h = 1.5f;
  h += __half(2);
  EXPECT_EQ(static_cast<float>(h), 3.5f);
  EXPECT_EQ(static_cast<float>(h++), 3.5f);
  EXPECT_EQ(static_cast<int>(h), 4);
  EXPECT_TRUE(h > __half(4.25));
  const __half2 p = __floats2half2_rn(1, 2) * __float2half2_rn(3) - make_half2(1, 1);
  EXPECT_EQ(__low2float(p), 2.0f);
  EXPECT_EQ(__high2float(p), 5.0f);
  EXPECT_EQ(__hgt2_mask(p, __float2half2_rn(3)), 0xFFFF0000u);
  EXPECT_FALSE(__hbgt2(p, __float2half2_rn(3)));
  EXPECT_TRUE(p == p);
  EXPECT_EQ(__bfloat162float(__nv_bfloat16(h)), 4.5f);
}

TEST(HalfArithmetic, AtomicAddFromTheHost) {
  __half h = 1.0f;
  EXPECT_EQ(static_cast<float>(atomicAdd(&h, __half(0.5f))), 1.0f);
  EXPECT_EQ(static_cast<float>(h), 1.5f);
  __nv_bfloat162 pair = __floats2bfloat162_rn(1, 2);
  atomicAdd(&pair, __floats2bfloat162_rn(10, 20));
  EXPECT_EQ(__high2float(pair), 22.0f);
}

}  // namespace
