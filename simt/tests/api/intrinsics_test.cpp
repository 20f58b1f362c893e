// Integer, conversion and rounding-mode intrinsics against naive code and against their meaning.

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "reference.h"

namespace {

using reference::Wide;

TEST(Integers, CountingAndReversing) {
  reference::Numbers numbers(1);
  for (int i = 0; i < 100'000; ++i) {
    const auto x = static_cast<unsigned long long>(numbers.bits() >> (i % 64));
    const auto w = static_cast<unsigned>(x);
    int ones = 0, first = 0, leading = 0;
    unsigned long long reversed = 0;
    for (int bit = 0; bit < 64; ++bit) {
      const bool set = x >> bit & 1;
      ones += set;
      if (set && first == 0) first = bit + 1;
      leading = set ? 0 : leading + 1;
      reversed |= static_cast<unsigned long long>(set) << (63 - bit);
    }
    ASSERT_EQ(__popcll(x), ones);
    ASSERT_EQ(__ffsll(static_cast<long long>(x)), first);
    ASSERT_EQ(__clzll(static_cast<long long>(x)), leading);
    ASSERT_EQ(__brevll(x), reversed);
    ASSERT_EQ(__brev(w), static_cast<unsigned>(__brevll(w) >> 32));
    ASSERT_EQ(__popc(w), __popcll(w));
    ASSERT_EQ(__clz(static_cast<int>(w)), __clzll(w) - 32);
  }
  EXPECT_EQ(__clz(0), 32);
  EXPECT_EQ(__ffs(0), 0);
}

TEST(Integers, ProductsSumsAndShifts) {
  reference::Numbers numbers(2);
  for (int i = 0; i < 100'000; ++i) {
    const auto a = static_cast<unsigned>(numbers.bits()), b = static_cast<unsigned>(numbers.bits());
    const auto c = static_cast<unsigned>(numbers.bits()), n = static_cast<unsigned>(i % 70);
    const int sa = static_cast<int>(a), sb = static_cast<int>(b);
    ASSERT_EQ(__umulhi(a, b), static_cast<unsigned>((1ull * a * b) >> 32));
    ASSERT_EQ(__mulhi(sa, sb), static_cast<int>((1ll * sa * sb) >> 32));
    ASSERT_EQ(__hadd(sa, sb), static_cast<int>(std::floor((double(sa) + sb) / 2)));
    ASSERT_EQ(__urhadd(a, b), static_cast<unsigned>(std::ceil((double(a) + b) / 2)));
    ASSERT_EQ(__usad(a, b, c), static_cast<unsigned>(c + std::llabs(1ll * a - b)));
    ASSERT_EQ(__sad(sa, sb, c), static_cast<unsigned>(c + std::llabs(1ll * sa - sb)));
    unsigned left = b, right = a;
    for (unsigned step = 0; step < (n & 31); ++step) left = left << 1 | (a >> (31 - step) & 1);
    for (unsigned step = 0; step < (n & 31); ++step) right = right >> 1 | (b >> step & 1) << 31;
    ASSERT_EQ(__funnelshift_l(a, b, n), left);
    ASSERT_EQ(__funnelshift_r(a, b, n), right);
    ASSERT_EQ(__funnelshift_lc(a, b, n), n >= 32 ? a : left);
    ASSERT_EQ(__funnelshift_rc(a, b, n), n >= 32 ? b : right);
    int dot = static_cast<int>(c);
    unsigned udot = c;
    for (int byte = 0; byte < 4; ++byte) {
      const auto x = static_cast<signed char>(a >> 8 * byte),
                 y = static_cast<signed char>(b >> 8 * byte);
      dot = static_cast<int>(static_cast<unsigned>(dot) + static_cast<unsigned>(x * y));
      udot += (a >> 8 * byte & 255) * (b >> 8 * byte & 255);
    }
    ASSERT_EQ(__dp4a(sa, sb, static_cast<int>(c)), dot);
    ASSERT_EQ(__dp4a(a, b, c), udot);
  }
  EXPECT_EQ(__byte_perm(0x33221100, 0x77665544, 0x7531), 0x77553311u);
  EXPECT_EQ(__mul24(-3, 5), -15);
  EXPECT_EQ(__fns(0b10110, 0, 2), 2u);
}

TEST(Integers, SimdWithinAWord) {
  reference::Numbers numbers(3);
  for (int i = 0; i < 50'000; ++i) {
    const auto a = static_cast<unsigned>(numbers.bits()), b = static_cast<unsigned>(numbers.bits());
    unsigned sum = 0, saturated = 0, difference = 0, greater = 0, average = 0, total = 0;
    for (int byte = 0; byte < 4; ++byte) {
      const int x = static_cast<int>(a >> 8 * byte & 255),
                y = static_cast<int>(b >> 8 * byte & 255);
      const int sx = static_cast<signed char>(x), sy = static_cast<signed char>(y);
      const auto put = [byte](int v) { return (static_cast<unsigned>(v) & 255) << 8 * byte; };
      sum |= put(x + y);
      saturated |= put(std::clamp(sx + sy, -128, 127));
      difference |= put(std::abs(x - y));
      greater |= put(sx > sy ? 255 : 0);
      average |= put((x + y + 1) / 2);
      total += static_cast<unsigned>(std::abs(x - y));
    }
    ASSERT_EQ(__vadd4(a, b), sum);
    ASSERT_EQ(__vaddss4(a, b), saturated);
    ASSERT_EQ(__vabsdiffu4(a, b), difference);
    ASSERT_EQ(__vcmpgts4(a, b), greater);
    ASSERT_EQ(__vavgu4(a, b), average);
    ASSERT_EQ(__vsadu4(a, b), total);
  }
}

TEST(MaxAndMin, EveryPairOfTypes) {
  using namespace std;  // as programs do: the calls must not become ambiguous
  EXPECT_EQ(max(1, 2), 2);
  EXPECT_EQ(max(-1, 2u), 0xFFFFFFFFu);
  EXPECT_EQ(min(3l, 2l), 2l);
  EXPECT_EQ(max(3ull, 2ull), 3ull);
  EXPECT_EQ(max(1.5f, 2.5), 2.5);
  EXPECT_EQ(max(nanf(""), 1.0f), 1.0f);
  EXPECT_EQ(min(1.0, nan("")), 1.0);
  EXPECT_TRUE(signbit(min(0.0f, -0.0f)));
  EXPECT_EQ(abs(-2.5f), 2.5f);
  EXPECT_EQ(abs(-3), 3);
  static_assert(std::is_same_v<decltype(sin(1.0f)), float>);
  static_assert(std::is_same_v<decltype(rsqrt(1.0f)), float>);
}

TEST(Conversions, SaturateInsteadOfUndefined) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  EXPECT_EQ(__float2int_rz(3e9f), 2147483647);
  EXPECT_EQ(__float2int_rz(-inf), -2147483647 - 1);
  EXPECT_EQ(__float2int_rn(nan), 0);
  EXPECT_EQ(__float2uint_rz(-5.0f), 0u);
  EXPECT_EQ(__float2uint_rn(5e9f), 0xFFFFFFFFu);
  EXPECT_EQ(__float2ll_rd(inf), 9223372036854775807ll);
  EXPECT_EQ(__float2ull_rz(inf), 0xFFFFFFFFFFFFFFFFull);
  EXPECT_EQ(__double2int_rz(1e300), 2147483647);
  EXPECT_EQ(__double2uint_ru(4294967295.5), 0xFFFFFFFFu);
  EXPECT_EQ(__float2int_rn(2.5f), 2);
  EXPECT_EQ(__float2int_ru(2.1f), 3);
  EXPECT_EQ(__float2int_rd(-2.1f), -3);
  EXPECT_EQ(__int2float_rz(16777217), 16777216.0f);
  EXPECT_EQ(__int2float_ru(16777217), 16777218.0f);
  EXPECT_EQ(__ull2double_rd(0xFFFFFFFFFFFFFFFFull), 18446744073709549568.0);
  EXPECT_EQ(__double2float_rd(1.0 + 1e-12), 1.0f);
  EXPECT_EQ(__double2float_ru(1.0 + 1e-12), std::nextafter(1.0f, 2.0f));
  EXPECT_EQ(__hiloint2double(__double2hiint(1.1), __double2loint(1.1)), 1.1);
}

// A result rounded up is the least number not below the exact one, and so on: this needs no second
// implementation, only arithmetic with more bits.
template <class T>
void check_directed(Wide exact, T up, T down, T zero, T nearest) {
  const T infinity = std::numeric_limits<T>::infinity();
  ASSERT_GE(static_cast<Wide>(up), exact);
  ASSERT_LT(static_cast<Wide>(std::nextafter(up, -infinity)), exact);
  ASSERT_LE(static_cast<Wide>(down), exact);
  ASSERT_GT(static_cast<Wide>(std::nextafter(down, infinity)), exact);
  ASSERT_EQ(zero, exact < 0 ? up : down);
  ASSERT_TRUE(nearest == up || nearest == down);
}

TEST(RoundingModes, BracketTheExactResult) {
  reference::Numbers numbers(4);
  for (int i = 0; i < 100'000; ++i) {
    const auto a = static_cast<float>(numbers.ordinary()),
               b = static_cast<float>(numbers.ordinary());
    const auto c = static_cast<float>(numbers.ordinary());
    const Wide x = a, y = b, z = c;
    check_directed(x + y, __fadd_ru(a, b), __fadd_rd(a, b), __fadd_rz(a, b), __fadd_rn(a, b));
    check_directed(x - y, __fsub_ru(a, b), __fsub_rd(a, b), __fsub_rz(a, b), __fsub_rn(a, b));
    check_directed(x * y, __fmul_ru(a, b), __fmul_rd(a, b), __fmul_rz(a, b), __fmul_rn(a, b));
    check_directed(x / y, __fdiv_ru(a, b), __fdiv_rd(a, b), __fdiv_rz(a, b), __fdiv_rn(a, b));
    check_directed(1 / x, __frcp_ru(a), __frcp_rd(a), __frcp_rz(a), __frcp_rn(a));
    check_directed(x * y + z, __fmaf_ru(a, b, c), __fmaf_rd(a, b, c), __fmaf_rz(a, b, c),
                   __fmaf_rn(a, b, c));
    const double p = numbers.ordinary(), q = numbers.ordinary();
    const Wide u = p, v = q;
    check_directed(u * v, __dmul_ru(p, q), __dmul_rd(p, q), __dmul_rz(p, q), __dmul_rn(p, q));
    check_directed(u + v, __dadd_ru(p, q), __dadd_rd(p, q), __dadd_rz(p, q), __dadd_rn(p, q));
    check_directed(u / v, __ddiv_ru(p, q), __ddiv_rd(p, q), __ddiv_rz(p, q), __ddiv_rn(p, q));
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(__fsqrt_ru(2.0f), std::nextafter(__fsqrt_rd(2.0f), 2.0f));
  EXPECT_TRUE(std::signbit(__fadd_rd(1.0f, -1.0f)));
  EXPECT_FALSE(std::signbit(__fadd_ru(1.0f, -1.0f)));
  EXPECT_EQ(__fadd_rz(3e38f, 3e38f), std::numeric_limits<float>::max());
}

TEST(Math, SpecialFunctions) {
  for (const double x : {0.001, 0.1, 0.5, 1.0, 2.0, 3.0, 5.0}) {
    EXPECT_NEAR(erfinv(std::erf(x)), x, x * (x < 3 ? 1e-12 : 1e-3));
    EXPECT_NEAR(erfcinv(std::erfc(x)), x, 1e-14 * (1 + x));
    EXPECT_NEAR(normcdfinv(normcdf(-x)), -x, 1e-13 * (1 + x));
  }
  EXPECT_NEAR(erfcinv(1e-300), 26.209469960516124, 1e-12);
  EXPECT_NEAR(erfcx(30.0), 0.018795888861416751, 1e-17);
  EXPECT_NEAR(erfcx(5.0), 0.11070463773306863, 1e-16);
  EXPECT_NEAR(erfcx(9.99), erfcx(10.01), 2e-4);
  EXPECT_EQ(sinpi(1.0), 0.0);
  EXPECT_EQ(sinpi(0.5f), 1.0f);
  EXPECT_EQ(cospi(0.5), 0.0);
  EXPECT_EQ(cospi(1.0f), -1.0f);
  EXPECT_NEAR(sinpi(1e6 + 0.25), std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(sinpi(-0.25), -std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(cyl_bessel_i0(1.0), 1.2660658777520084, 1e-14);
  EXPECT_NEAR(cyl_bessel_i1(-1.0), -0.56515910399248503, 1e-14);
  EXPECT_EQ(norm3d(2.0, 3.0, 6.0), 7.0);
  EXPECT_EQ(norm4df(1, 1, 1, 1), 2.0f);
  const double many[] = {3e200, 4e200};
  EXPECT_NEAR(norm(2, many) / 5e200, 1, 1e-15);
  EXPECT_EQ(rsqrt(0.25f), 2.0f);
  EXPECT_EQ(__saturatef(std::nanf("")), 0.0f);
}

}  // namespace
