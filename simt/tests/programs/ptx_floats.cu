// Floats in PTX: every rounding mode, flushed and saturated results, comparisons with NaN, conversions between all
// types, against the host's rounding modes and against lists of all numbers of a format.

#include <cfenv>
#include <cmath>

#include "ptx_cases.h"

static std::vector<float> floats() {
  std::vector<float> all;
  for (u32 bits : {0u,          0x80000000u, 1u,          0x80000003u, 0x7fffffu,   0x800000u,
                   0x80800001u, 0x33333333u, 0x3f000000u, 0x3f7fffffu, 0x3f800000u, 0x3f800001u,
                   0x3fc00000u, 0xbf800000u, 0xc0200000u, 0x40490fdbu, 0x4b000001u, 0x4b800001u,
                   0x4f000000u, 0xcf000000u, 0x4effffffu, 0x5f000000u, 0x7f000000u, 0x7f7fffffu,
                   0xff7fffffu, 0x7f800000u, 0xff800000u, 0x7fc00000u, 0xffc12345u, 0x2f800000u}) {
    all.push_back(from_bits<float>(bits));
  }
  return all;
}
static std::vector<double> doubles() {
  std::vector<double> all;
  for (u64 bits : {0ull,
                   1ull << 63,
                   1ull,
                   0xfffffffffffffull,
                   0x10000000000000ull,
                   0x3ff0000000000000ull,
                   0x3ff0000000000001ull,
                   0xbfe0000000000000ull,
                   0x3fd5555555555555ull,
                   0x4330000000000001ull,
                   0x41dfffffffc00000ull,
                   0x43e0000000000000ull,
                   0x380fffffffffffffull,
                   0x47efffffefffffffull,
                   0x47efffffe0000000ull,
                   0x7fefffffffffffffull,
                   0xffefffffffffffffull,
                   0x7ff0000000000000ull,
                   0xfff0000000000000ull,
                   0x3690000000000000ull,
                   0x36a8000000000000ull}) {
    all.push_back(from_bits<double>(bits));
  }
  return all;
}

// Computes in another rounding mode. `volatile` keeps the compiler from doing it earlier.
template <class T, class F>
static T in_mode(int mode, F f, T a, T b, T c) {
  volatile T x = a, y = b, z = c;
  fesetround(mode);
  volatile T result = f(x, y, z);
  fesetround(FE_TONEAREST);
  return result;
}
static float canonical(float x) {
  return x != x ? from_bits<float>(0x7fffffffu) : x;
}
static double canonical(double x) {
  return x;
}
static float zero_if_small(float x) {
  return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x;
}
static float unit(float x) {
  return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f;
}

#define FLOAT(NAME, TEXT, ...) CASE(NAME, float, "f", float, "f", TEXT, __VA_ARGS__)
#define DOUBLE(NAME, TEXT, ...) CASE(NAME, double, "d", double, "d", TEXT, __VA_ARGS__)
// NAME in the four modes, of float and double.
#define MODES(NAME, OPCODE, OPERANDS, EXPRESSION)                                                  \
  FLOAT(NAME##_rn, OPCODE ".rn.f32 " OPERANDS, return canonical(EXPRESSION(float, FE_TONEAREST)))  \
  FLOAT(NAME##_rz, OPCODE ".rz.f32 " OPERANDS, return canonical(EXPRESSION(float, FE_TOWARDZERO))) \
  FLOAT(NAME##_rm, OPCODE ".rm.f32 " OPERANDS, return canonical(EXPRESSION(float, FE_DOWNWARD)))   \
  FLOAT(NAME##_rp, OPCODE ".rp.f32 " OPERANDS, return canonical(EXPRESSION(float, FE_UPWARD)))     \
  DOUBLE(NAME##_rz_d, OPCODE ".rz.f64 " OPERANDS,                                                  \
         return canonical(EXPRESSION(double, FE_TOWARDZERO)))                                      \
  DOUBLE(NAME##_rm_d, OPCODE ".rm.f64 " OPERANDS,                                                  \
         return canonical(EXPRESSION(double, FE_DOWNWARD)))                                        \
  DOUBLE(NAME##_rp_d, OPCODE ".rp.f64 " OPERANDS, return canonical(EXPRESSION(double, FE_UPWARD)))
#define SUM(T, MODE) \
  in_mode<T>(        \
      MODE, [](T x, T y, T) { return x + y; }, a, b, c)
#define DIFFERENCE(T, MODE) \
  in_mode<T>(               \
      MODE, [](T x, T y, T) { return x - y; }, a, b, c)
#define PRODUCT(T, MODE) \
  in_mode<T>(            \
      MODE, [](T x, T y, T) { return x * y; }, a, b, c)
#define QUOTIENT(T, MODE) \
  in_mode<T>(             \
      MODE, [](T x, T y, T) { return x / y; }, a, b, c)
#define FUSED(T, MODE) \
  in_mode<T>(          \
      MODE, [](T x, T y, T z) { return std::fma(x, y, z); }, a, b, c)
#define INVERSE(T, MODE) \
  in_mode<T>(            \
      MODE, [](T x, T, T) { return 1 / x; }, a, b, c)
#define ROOT(T, MODE) \
  in_mode<T>(         \
      MODE, [](T x, T, T) { return std::sqrt(x); }, a, b, c)
MODES(add, "add", "%0, %1, %2;", SUM)
MODES(sub, "sub", "%0, %1, %2;", DIFFERENCE)
MODES(mul, "mul", "%0, %1, %2;", PRODUCT)
MODES(divide, "div", "%0, %1, %2;", QUOTIENT)
MODES(fma, "fma", "%0, %1, %2, %3;", FUSED)
MODES(rcp, "rcp", "%0, %1;", INVERSE)
MODES(root, "sqrt", "%0, %1;", ROOT)
FLOAT(add_ftz, "add.rz.ftz.f32 %0, %1, %2;", a = zero_if_small(a); b = zero_if_small(b);
      return canonical(zero_if_small(SUM(float, FE_TOWARDZERO))))
FLOAT(fma_sat, "fma.rp.sat.f32 %0, %1, %2, %3;", return unit(FUSED(float, FE_UPWARD)))
FLOAT(mul_sat, "mul.ftz.sat.f32 %0, %1, %2;", a = zero_if_small(a); b = zero_if_small(b);
      return unit(std::fabs((double)a * b) < 0x1p-126 ? a * b * 0 : a * b))
FLOAT(copysign_f, "copysign.f32 %0, %1, %2;",
      return from_bits<float>((u32)((bits_of(a) & 0x80000000) | (bits_of(b) & 0x7fffffff))))
FLOAT(abs_ftz, "abs.ftz.f32 %0, %1;", return canonical(zero_if_small(std::fabs(a))))

// Which of two, by hand.
static float choose(float a, float b, bool larger, bool nan, bool xorsign) {
  const bool negative = (bits_of(a) ^ bits_of(b)) >> 31 & 1;
  if (xorsign)
    a = from_bits<float>((u32)bits_of(a) & 0x7fffffff),
    b = from_bits<float>((u32)bits_of(b) & 0x7fffffff);
  if ((a != a && b != b) || (nan && (a != a || b != b))) return from_bits<float>(0x7fffffffu);
  const auto key = [](float x) {
    const int bits = (int)bits_of(x);
    return bits < 0 ? (int)(0x80000000u - (u32)bits) - 1 : bits;
  };
  const bool first = a != a ? false : b != b ? true : (key(a) < key(b)) != larger;
  const float out = first ? a : b;
  return xorsign && negative ? -out : out;
}
FLOAT(min_f, "min.f32 %0, %1, %2;", return choose(a, b, false, false, false))
FLOAT(max_f, "max.f32 %0, %1, %2;", return choose(a, b, true, false, false))
FLOAT(max_nan, "max.NaN.f32 %0, %1, %2;", return choose(a, b, true, true, false))
FLOAT(min_xor, "min.xorsign.abs.f32 %0, %1, %2;", return choose(a, b, false, false, true))
FLOAT(max_nan_xor, "max.NaN.xorsign.abs.f32 %0, %1, %2;", return choose(a, b, true, true, true))

// Comparisons, all in one number.
#define BIT(N, HOW) "setp." HOW ".f32 p, %1, %2; @p or.b32 t, t, " N "; "
CASE(compare, u32, "r", float, "f",
     "{.reg .pred p; .reg .b32 t; mov.b32 t, 0; " BIT("1", "eq") BIT("2", "ne") BIT("4", "lt")
         BIT("8", "le") BIT("16", "gt") BIT("32", "ge") BIT("64", "equ") BIT("128", "neu")
             BIT("256", "ltu") BIT("512", "leu") BIT("1024", "gtu") BIT("2048", "geu")
                 BIT("4096", "num") BIT("8192", "nan") "mov.b32 %0, t;}",
     const bool u = std::isnan(a) || std::isnan(b), eq = !u && !(a < b) && !(b < a);
     return (u32)eq | (!u && !eq) << 1 | (a < b) << 2 | (a < b || eq) << 3 | (b < a) << 4 |
            (b < a || eq) << 5 | (u || eq) << 6 | (u || !eq) << 7 | (u || a < b) << 8 |
            (u || a < b || eq) << 9 | (u || b < a) << 10 | (u || b < a || eq) << 11 | !u << 12 |
            u << 13)
#define CLASS(N, WHAT) "testp." WHAT ".f32 p, %1; @p or.b32 t, t, " N "; "
CASE(classes, u32, "r", float, "f",
     "{.reg .pred p; .reg .b32 t; mov.b32 t, 0; " CLASS("1", "finite") CLASS("2", "infinite")
         CLASS("4", "number") CLASS("8", "notanumber") CLASS("16", "normal")
             CLASS("32", "subnormal") "mov.b32 %0, t;}",
     const u32 e = bits_of(a) >> 23 & 255, m = bits_of(a) & 0x7fffff;
     const bool inf = e == 255 && m == 0, nan = e == 255 && m != 0;
     return (u32)(e != 255) | inf << 1 | !nan << 2 | nan << 3 |
            ((e != 0 || m == 0) && e != 255) << 4 | (e == 0 && m != 0) << 5)
CASE(set_f, float, "f", float, "f", "set.leu.f32.f32 %0, %1, %2;", return a > b ? 0.0f : 1.0f)
FLOAT(slct_f, "slct.ftz.f32.f32 %0, %1, %2, %3;", return zero_if_small(c) >= 0 ? a : b)

// Conversions to integers.
template <class To, class From>
static To whole(From x, int mode, To least, To most) {
  if (x != x) return sizeof(To) == 8 || sizeof(From) == 8 ? (To)((To)1 << (sizeof(To) * 8 - 1)) : 0;
  const From y = mode == FE_DOWNWARD     ? std::floor(x)
                 : mode == FE_UPWARD     ? std::ceil(x)
                 : mode == FE_TOWARDZERO ? std::trunc(x)
                                         : std::rint(x);
  if (y <= (From)least) return least;
  return y >= (From)most ? most : (To)y;
}
CASE(to_s32, int, "r", float, "f", "cvt.rni.s32.f32 %0, %1;",
     return whole<int>(a, FE_TONEAREST, -0x7fffffff - 1, 0x7fffffff))
CASE(to_u32, u32, "r", float, "f", "cvt.rpi.u32.f32 %0, %1;",
     return whole<u32>(a, FE_UPWARD, 0, ~0u))
CASE(to_s8, int, "r", float, "f", "cvt.rmi.s8.f32 %0, %1;",
     return whole<int>(a, FE_DOWNWARD, -128, 127))
CASE(to_u64, u64, "l", float, "f", "cvt.rzi.u64.f32 %0, %1;",
     return whole<u64>(a, FE_TOWARDZERO, 0, ~0ull))
CASE(to_s64, long long, "l", double, "d", "cvt.rmi.s64.f64 %0, %1;",
     return whole<long long>(a, FE_DOWNWARD, -0x7fffffffffffffffll - 1, 0x7fffffffffffffffll))
CASE(to_u32_d, u32, "r", double, "d", "cvt.rzi.u32.f64 %0, %1;", if (a != a) return 0x80000000u;
     return whole<u32>(a, FE_TOWARDZERO, 0, ~0u))
FLOAT(to_whole, "cvt.rpi.f32.f32 %0, %1;", return canonical(std::ceil(a)))
DOUBLE(to_whole_d, "cvt.rni.f64.f64 %0, %1;", return std::nearbyint(a))
CASE(narrow_rz, float, "f", double, "d", "cvt.rz.f32.f64 %0, %1;", volatile double x = a;
     fesetround(FE_TOWARDZERO); volatile float y = (float)x; fesetround(FE_TONEAREST);
     return canonical(y))
CASE(narrow_rp, float, "f", double, "d", "cvt.rp.ftz.sat.f32.f64 %0, %1;", volatile double x = a;
     fesetround(FE_UPWARD); volatile float y = (float)x; fesetround(FE_TONEAREST);
     return unit(zero_if_small(y)))
// From integers: the nearest float below or above by search.
CASE(from_u64, float, "f", u64, "l", "cvt.rm.f32.u64 %0, %1;", float f = (float)a;
     while ((unsigned __int128)f > a) f = std::nextafterf(f, 0); return f)
CASE(from_s64, double, "d", u64, "l", "cvt.rp.f64.s64 %0, %1;", double d = (double)(long long)a;
     while ((__int128)d < (long long)a) d = std::nextafter(d, INFINITY); return d)
CASE(held_s16, int, "r", u32, "r", "cvt.sat.s16.s32 %0, %1;", const int x = (int)a;
     return x > 32767    ? 32767
            : x < -32768 ? -32768
                         : x)
CASE(held_u8, u32, "r", u32, "r", "cvt.sat.u8.s32 %0, %1;", const int x = (int)a;
     return x > 255 ? 255u
            : x < 0 ? 0u
                    : (u32)x)
CASE(cut_s8, int, "r", u32, "r", "cvt.s8.u32 %0, %1;", return (signed char)(a & 0xff))
CASE(
    packed, u32, "r", u32, "r", "cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;",
    const auto hold = [](int x) { return (u32)(x > 127    ? 127
                                               : x < -128 ? -128
                                                          : x) &
                                         0xff; };
    return c << 16 | hold((int)a) << 8 | hold((int)b))

// Small floats: the nearest ones in a list of all.
struct Format {
  int exponent_bits, mantissa_bits;
  bool has_infinity;
  double value(u32 bits) const {
    const u32 m = bits & ((1u << mantissa_bits) - 1),
              e = bits >> mantissa_bits & ((1u << exponent_bits) - 1);
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const double size = e == 0
                            ? std::ldexp(m, 1 - bias - mantissa_bits)
                            : std::ldexp(m + (1u << mantissa_bits), (int)e - bias - mantissa_bits);
    return bits >> (mantissa_bits + exponent_bits) & 1 ? -size : size;
  }
  u32 last() const {
    return has_infinity ? (((1u << exponent_bits) - 1) << mantissa_bits) - 1
                        : (1u << (exponent_bits + mantissa_bits)) - 2;
  }
  // The number next to x towards zero or away from it, or the nearest one.
  u32 round(double x, int mode, bool finite) const {
    const u32 sign = std::signbit(x) ? 1u << (exponent_bits + mantissa_bits) : 0,
              infinity = last() + 1;
    const u32 nan = (1u << (exponent_bits + mantissa_bits)) - 1;
    if (x != x) return nan;
    const double size = std::fabs(x), largest = value(last());
    u32 low = 0;
    for (u32 step = 1u << (exponent_bits + mantissa_bits); step > 0; step /= 2) {
      if (low + step <= last() && value(low + step) <= size) low += step;
    }
    const double step = largest - value(last() - 1),
                 above = low == last() ? largest + step : value(low + 1);
    const double middle = (value(low) + above) / 2;
    const bool inexact = value(low) != size, even = (low & 1) == 0;
    const bool up = mode == FE_TONEAREST  ? size > middle || (size == middle && !even)
                    : mode == FE_UPWARD   ? inexact && !sign
                    : mode == FE_DOWNWARD ? inexact && sign
                                          : false;
    if (std::isinf(x)) return sign | (finite ? last() : infinity);
    const u32 size_bits = low + (up ? 1 : 0);
    return sign | (size_bits > last() ? (finite ? last() : infinity) : size_bits);
  }
};
static const Format half = {5, 10, true}, brain = {8, 7, true}, e4m3 = {4, 3, false},
                    e5m2 = {5, 2, true};
CASE(half_rm, u16, "h", float, "f", "cvt.rm.f16.f32 %0, %1;",
     return (u16)half.round(a, FE_DOWNWARD, false))
CASE(half_rz_d, u16, "h", double, "d", "cvt.rz.f16.f64 %0, %1;",
     return (u16)half.round(a, FE_TOWARDZERO, false))
CASE(half_from_int, u16, "h", u64, "l", "cvt.rp.f16.s64 %0, %1;",
     return (u16)half.round((double)(long long)a, FE_UPWARD, false))
CASE(brain_rp, u16, "h", float, "f", "cvt.rp.bf16.f32 %0, %1;",
     return (u16)brain.round(a, FE_UPWARD, false))
CASE(
    brain_pair, u32, "r", float, "f", "cvt.rz.relu.bf16x2.f32 %0, %1, %2;",
    const auto one = [](float x) { return x <= 0 ? 0u : brain.round(x, FE_TOWARDZERO, false); };
    return one(a) << 16 | one(b))
CASE(half_pair, u32, "r", float, "f", "cvt.rn.f16x2.f32 %0, %1, %2;",
     return half.round(a, FE_TONEAREST, false) << 16 | half.round(b, FE_TONEAREST, false))
CASE(bytes_e4m3, u16, "h", float, "f", "cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;",
     return (u16)(e4m3.round(a, FE_TONEAREST, true) << 8 | e4m3.round(b, FE_TONEAREST, true)))
CASE(
    bytes_relu, u16, "h", float, "f", "cvt.rn.satfinite.relu.e5m2x2.f32 %0, %1, %2;",
    const auto one = [](float x) { return x <= 0 ? 0u : e5m2.round(x, FE_TONEAREST, true); };
    return (u16)(one(a) << 8 | one(b)))
CASE(
    from_bytes, u32, "r", u32, "r", "{.reg .b16 t; cvt.u16.u32 t, %1; cvt.rn.f16x2.e4m3x2 %0, t;}",
    const auto one =
        [](u32 x) {
          x &= 0xff;
          return (x & 0x7f) == 0x7f ? 0x7fffu : half.round(e4m3.value(x), FE_TONEAREST, false);
        };
    return one(a >> 8) << 16 | one(a))
static u32 tf32(float a, int mode) {
  if (a != a) return mode < 0 ? (u32)bits_of(a) & ~0x1fffu : 0x7fffe000;
  const u32 bits = (u32)bits_of(a), low = bits & 0x1fff, high = bits & ~0x1fffu;
  if (std::isinf(a)) return bits;
  return mode < 0 ? high + (low >= 0x1000 ? 0x2000 : 0)
         : mode == FE_TONEAREST
             ? high + (low > 0x1000 || (low == 0x1000 && (high & 0x2000)) ? 0x2000 : 0)
             : high;
}
CASE(tf32_rna, u32, "r", float, "f", "cvt.rna.tf32.f32 %0, %1;", return tf32(a, -1))
CASE(tf32_rn, u32, "r", float, "f", "cvt.rn.tf32.f32 %0, %1;", return tf32(a, FE_TONEAREST))
CASE(tf32_rz, u32, "r", float, "f", "cvt.rz.relu.tf32.f32 %0, %1;",
     return a <= 0 ? 0 : tf32(a, FE_TOWARDZERO))
CASE(
    half_compare, u32, "r", u32, "r",
    "{.reg .pred p, q; .reg .b32 t; setp.lt.f16x2 p|q, %1, %2; selp.b32 t, 1, 0, p; @q or.b32 t, "
    "t, 2; "
    "set.gtu.u32.bf16x2 %0, %1, %2; and.b32 %0, %0, 0x40004; or.b32 %0, %0, t;}",
    const auto is_nan = [](u32 x, u32 inf) { return (x & 0x7fff) > inf; };
    u32 d = 0; for (int i = 0; i < 2; ++i) {
      const u32 x = a >> (16 * i) & 0xffff, y = b >> (16 * i) & 0xffff;
      const bool nan = is_nan(x, 0x7c00) || is_nan(y, 0x7c00);
      const auto h = [](u32 v) {
        return (v & 0x7fff) == 0x7c00 ? (v & 0x8000 ? -INFINITY : INFINITY) : half.value(v);
      };
      if (!nan && h(x) < h(y)) d |= 1u << i;
      const float p = from_bits<float>(x << 16), q = from_bits<float>(y << 16);
      if (!(p <= q)) d |= 4u << (16 * i);
    } return d)

static std::vector<u32> half_words() {
  return {0,          0x80008000, 0x3c003c00, 0xbc003c01, 0x7c00fc00, 0x7e003c00,
          0x3c00ffff, 0x00010001, 0x80010002, 0x7bff7bff, 0x3f803f80, 0xff807f80,
          0x7f817f7f, 0x00004000, 0x12345678, 0xdeadbeef};
}

#define TEST_MODES(NAME)                                                                          \
  test<NAME##_rn>(f, fc), test<NAME##_rz>(f, fc), test<NAME##_rm>(f, fc), test<NAME##_rp>(f, fc); \
  test<NAME##_rz_d>(d, dc), test<NAME##_rm_d>(d, dc), test<NAME##_rp_d>(d, dc)

int main() {
  const std::vector<float> f = floats(), one = {0};
  const std::vector<double> d = doubles(), one_d = {0};
  std::vector<float> fc = one;
  std::vector<double> dc = one_d;
  TEST_MODES(add);
  TEST_MODES(sub);
  TEST_MODES(mul);
  TEST_MODES(divide);
  TEST_MODES(rcp);
  TEST_MODES(root);
  fc = {0.0f, -0.0f, 1.0f, -0x1p-126f, 0x1.8p100f};
  dc = {0.0, 1.0, -0x1p-1022};
  TEST_MODES(fma);
  test<add_ftz>(f, one), test<fma_sat>(f, fc), test<mul_sat>(f, one), test<copysign_f>(f, one),
      test<abs_ftz>(f, one);
  test<min_f>(f, one), test<max_f>(f, one), test<max_nan>(f, one), test<min_xor>(f, one),
      test<max_nan_xor>(f, one);
  test<compare>(f, one), test<classes>(f, one), test<set_f>(f, one), test<slct_f>(f, f);
  test<to_s32>(f, one), test<to_u32>(f, one), test<to_s8>(f, one), test<to_u64>(f, one),
      test<to_s64>(d, one_d);
  test<to_u32_d>(d, one_d), test<to_whole>(f, one), test<to_whole_d>(d, one_d),
      test<narrow_rz>(d, one_d), test<narrow_rp>(d, one_d);
  const std::vector<u64> l = {
      0,          1,     0x1000001, 0x7fffffff, 0xffffffff, 0x20000000000001, 0x7fffffffffffffff,
      1ull << 63, ~0ull, 65519,     65520};
  const std::vector<u32> w = {0,          1,          127,        128,       255,
                              256,        32767,      32768,      65535,     0x7fffffff,
                              0x80000000, 0xffffff7f, 0xffff7fff, 0xffffffff};
  test<from_u64>(l, {0}), test<from_s64>(l, {0}), test<held_s16>(w, {0}), test<held_u8>(w, {0}),
      test<cut_s8>(w, {0}), test<packed>(w, w);
  test<half_rm>(f, one), test<half_rz_d>(d, one_d), test<half_from_int>(l, {0}),
      test<brain_rp>(f, one), test<brain_pair>(f, one);
  test<half_pair>(f, one), test<bytes_e4m3>(f, one), test<bytes_relu>(f, one),
      test<from_bytes>(half_words(), {0});
  test<tf32_rna>(f, one), test<tf32_rn>(f, one), test<tf32_rz>(f, one),
      test<half_compare>(half_words(), {0});
  printf(failures ? "%d instructions are wrong\n" : "all right\n", failures);
  return failures != 0;
}
