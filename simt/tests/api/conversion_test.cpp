// Conversions of 16- and 8-bit floats against the reference.

#include <cuda_fp8.h>
#include <gtest/gtest.h>

#include "reference.h"

namespace {

using reference::Format;
using reference::Mode;

template <class Back, class Narrow>
void all_patterns(const Format& f, unsigned count, Back to_float, Narrow narrow) {
  for (unsigned bits = 0; bits < count; ++bits) {
    const unsigned magnitude = bits & (f.sign - 1);
    const float value = to_float(bits);
    if (magnitude > f.top && magnitude == f.infinity && f.infinity != f.nan) {
      EXPECT_TRUE(std::isinf(value)) << bits;
      EXPECT_EQ(std::signbit(value), (bits & f.sign) != 0) << bits;
    } else if (magnitude > f.top) {
      EXPECT_TRUE(std::isnan(value)) << bits;
      EXPECT_EQ(narrow(value), f.nan) << bits;
      continue;
    } else {
      EXPECT_EQ(value, reference::decode(f, bits)) << bits;
    }
    EXPECT_EQ(narrow(value), bits);
  }
}

template <class Narrow>
void random_floats(const Format& f, Mode mode, Narrow narrow) {
  const std::vector<double> values = reference::magnitudes(f);
  reference::Numbers numbers(17);
  for (int i = 0; i < 1'000'000; ++i) {
    float x = numbers.any_float();
    if (i % 2) {  // near a value of the format, or between two
      const double base = values[numbers.bits() % values.size()];
      x = static_cast<float>(base) * (1.0f + static_cast<float>(numbers.bits() % 64) * 0x1p-11f);
      if (numbers.bits() & 1) x = -x;
    }
    const unsigned got = narrow(x);
    unsigned want;
    if (std::isnan(x)) {
      want = f.nan;
    } else if (std::isinf(x)) {
      want = f.infinity | (std::signbit(x) ? f.sign : 0);
    } else {
      want = reference::encode(f, values, static_cast<reference::Wide>(x), std::signbit(x), mode);
    }
    ASSERT_EQ(got, want) << std::hexfloat << x;
  }
}

TEST(Half, EveryPatternBackAndForth) {
  all_patterns(
      reference::half, 65536,
      [](unsigned b) { return __half2float(__ushort_as_half(static_cast<unsigned short>(b))); },
      [](float x) { return unsigned{__half_as_ushort(__float2half(x))}; });
}

TEST(Half, RandomFloatsInEveryMode) {
  const Format& f = reference::half;
  random_floats(f, Mode::nearest, [](float x) { return unsigned{__float2half_rn(x).__x}; });
  random_floats(f, Mode::zero, [](float x) { return unsigned{__float2half_rz(x).__x}; });
  random_floats(f, Mode::up, [](float x) { return unsigned{__float2half_ru(x).__x}; });
  random_floats(f, Mode::down, [](float x) { return unsigned{__float2half_rd(x).__x}; });
}

TEST(Bfloat16, EveryPatternBackAndForth) {
  all_patterns(
      reference::bfloat16, 65536,
      [](unsigned b) {
        return __bfloat162float(__ushort_as_bfloat16(static_cast<unsigned short>(b)));
      },
      [](float x) { return unsigned{__bfloat16_as_ushort(__float2bfloat16(x))}; });
}

TEST(Bfloat16, RandomFloatsInEveryMode) {
  const Format& f = reference::bfloat16;
  random_floats(f, Mode::nearest, [](float x) { return unsigned{__float2bfloat16_rn(x).__x}; });
  random_floats(f, Mode::zero, [](float x) { return unsigned{__float2bfloat16_rz(x).__x}; });
  random_floats(f, Mode::up, [](float x) { return unsigned{__float2bfloat16_ru(x).__x}; });
  random_floats(f, Mode::down, [](float x) { return unsigned{__float2bfloat16_rd(x).__x}; });
}

TEST(Fp8, EveryPatternBackAndForth) {
  for (const auto kind : {__NV_E4M3, __NV_E5M2}) {
    all_patterns(
        kind == __NV_E4M3 ? reference::e4m3 : reference::e5m2, 256,
        [kind](unsigned b) {
          return __half2float(__nv_cvt_fp8_to_halfraw(static_cast<unsigned char>(b), kind));
        },
        [kind](float x) { return unsigned{__nv_cvt_float_to_fp8(x, __NV_NOSAT, kind)}; });
  }
}

TEST(Fp8, RandomFloats) {
  random_floats(reference::e4m3, Mode::nearest,
                [](float x) { return unsigned{__nv_cvt_float_to_fp8(x, __NV_NOSAT, __NV_E4M3)}; });
  random_floats(reference::e5m2, Mode::nearest,
                [](float x) { return unsigned{__nv_cvt_float_to_fp8(x, __NV_NOSAT, __NV_E5M2)}; });
}

TEST(Fp8, SaturationStopsAtTheLargestNumber) {
  for (const float x : {500.0f, 1e6f, 1e30f, std::numeric_limits<float>::infinity()}) {
    EXPECT_EQ(static_cast<float>(__nv_fp8_e4m3(x)), 448.0f);
    EXPECT_EQ(static_cast<float>(__nv_fp8_e4m3(-x)), -448.0f);
  }
  EXPECT_EQ(static_cast<float>(__nv_fp8_e5m2(1e30f)), 57344.0f);
  EXPECT_TRUE(std::isnan(static_cast<float>(__nv_fp8_e4m3(std::nanf("")))));
}

// A double must be rounded once: through float, these would land on the wrong side of a tie.
TEST(Half, DoublesAreRoundedOnce) {
  const double tie = 1 + 0x1p-11;
  EXPECT_EQ(__double2half(tie).__x, 0x3C00);
  EXPECT_EQ(__double2half(tie + 0x1p-40).__x, 0x3C01);
  EXPECT_EQ(__double2half(tie - 0x1p-40).__x, 0x3C00);
  EXPECT_EQ(__double2half(65520.0).__x, 0x7C00);
  EXPECT_EQ(__double2half(65520.0 - 0x1p-30).__x, 0x7BFF);
  EXPECT_EQ(__double2bfloat16(1 + 0x1p-8 + 0x1p-50).__x, 0x3F81);
  EXPECT_EQ(__double2bfloat16(1 + 0x1p-8).__x, 0x3F80);
}

TEST(Half, Integers) {
  EXPECT_EQ(__int2half_rn(2049).__x, __float2half_rn(2048).__x);
  EXPECT_EQ(__int2half_ru(2049).__x, __float2half_rn(2050).__x);
  EXPECT_EQ(__ll2half_rz(-70000).__x, 0xFBFF);
  EXPECT_EQ(__ll2half_rn(-70000).__x, 0xFC00);
  EXPECT_EQ(__half2int_rn(__float2half(2.5f)), 2);
  EXPECT_EQ(__half2int_ru(__float2half(2.5f)), 3);
  EXPECT_EQ(__half2uint_rz(__float2half(-2.5f)), 0u);
  EXPECT_EQ(__half2short_rz(__float2half(40000.0f)), 32767);
  EXPECT_EQ(__half2char_rz(__float2half(-300.0f)), -128);
  EXPECT_EQ(__half2int_rz(CUDART_NAN_FP16), 0);
  // 2^63 + 2^55 + 1: the last bit decides, and a double cannot hold it.
  EXPECT_EQ(__ull2bfloat16_rn((1ull << 63) + (1ull << 55) + 1).__x, 0x5F01);
  EXPECT_EQ(__ull2bfloat16_rn((1ull << 63) + (1ull << 55)).__x, 0x5F00);
}

}  // namespace
