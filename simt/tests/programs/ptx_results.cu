// What PTX's arithmetic computes, instruction by instruction, over edge values, against host code that does it
// another way: wider integers, the host's rounding modes, loops over bits.

#include "ptx_cases.h"

static const std::vector<u32> words = {
    0,      1,      2,       3,          7,          31,         32,
    33,     0x7f,   0x80,    0xff,       0x7fff,     0x8000,     0xffff,
    0x8001, 0x1f20, 0x10203, 0x7fffffff, 0x80000000, 0xdeadbeef, 0xffffffff};
static const std::vector<u32> some_words = {0,   1,      5,      31,         32,        40,
                                            255, 0x3210, 0xba98, 0x80000000, 0xffffffff};
static const std::vector<u64> longs = {0,          1,
                                       3,          31,
                                       63,         64,
                                       65,         66,
                                       0xffffffff, 0x100000000u,
                                       1ull << 63, (1ull << 63) - 1,
                                       ~0ull,      0x123456789abcdef0u};
static const std::vector<u64> some_longs = {0, 1, 8, 63, 1ull << 63, ~0ull};
static const std::vector<u16> shorts = {0,      1,      2,      127,    128,    255,   256,
                                        0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff, 0x1234};

#define WORD(NAME, TEXT, ...) CASE(NAME, u32, "r", u32, "r", TEXT " %0, %1, %2, %3;", __VA_ARGS__)
#define WORD2(NAME, TEXT, ...) CASE(NAME, u32, "r", u32, "r", TEXT " %0, %1, %2;", __VA_ARGS__)
#define WORD1(NAME, TEXT, ...) CASE(NAME, u32, "r", u32, "r", TEXT " %0, %1;", __VA_ARGS__)
#define LONG(NAME, TEXT, ...) CASE(NAME, u64, "l", u64, "l", TEXT, __VA_ARGS__)

static long long sx(u32 x) {
  return (int)x;
}
static i128 sx(u64 x) {
  return (long long)x;
}
static u32 clamp_s32(i128 x) {
  return (u32)(int)(x > 0x7fffffff ? 0x7fffffff : x < -0x80000000ll ? -0x80000000ll : x);
}
static long long s24(u32 x) {
  return (x & 0x800000) ? (long long)(x & 0xffffff) - 0x1000000 : (x & 0xffffff);
}
static u32 bit(u32 x, int i) {
  return x >> i & 1;
}
static u32 byte(u32 x, int i) {
  return x >> (8 * i) & 0xff;
}
static int sbyte(u32 x, int i) {
  return (signed char)byte(x, i);
}

// Integers.
WORD2(add_sat, "add.sat.s32", return clamp_s32((i128)sx(a) + sx(b)))
WORD2(sub_sat, "sub.sat.s32", return clamp_s32((i128)sx(a) - sx(b)))
WORD2(mul_hi_s, "mul.hi.s32", return (u32)(sx(a) * sx(b) >> 32))
WORD2(mul_hi_u, "mul.hi.u32", return (u32)((u64)a * b >> 32))
WORD(mad_hi_sat, "mad.hi.sat.s32", return clamp_s32((i128)(sx(a) * sx(b) >> 32) + sx(c)))
WORD2(mul24_lo, "mul24.lo.s32", return (u32)(s24(a) * s24(b)))
WORD2(mul24_hi, "mul24.hi.s32", return (u32)(s24(a) * s24(b) >> 16))
WORD2(mul24_hi_u, "mul24.hi.u32", return (u32)((u64)(a & 0xffffff) * (b & 0xffffff) >> 16))
WORD(mad24_sat, "mad24.hi.sat.s32", return clamp_s32((i128)(int)(s24(a) * s24(b) >> 16) + sx(c)))
WORD(sad_s, "sad.s32", const long long d = sx(a) - sx(b); return c + (u32)(d < 0 ? -d : d))
WORD2(min_relu, "min.relu.s32", const long long m = sx(a) < sx(b) ? sx(a) : sx(b);
      return m < 0 ? 0 : (u32)m)
WORD2(max_relu, "max.relu.s32", const long long m = sx(a) > sx(b) ? sx(a) : sx(b);
      return m < 0 ? 0 : (u32)m)
WORD2(add_16x2, "add.u16x2", return ((a + b) & 0xffff) | (((a >> 16) + (b >> 16)) << 16))
WORD2(
    min_16x2, "min.s16x2", u32 d = 0; for (int i = 0; i < 32; i += 16) {
      const short x = (short)(a >> i), y = (short)(b >> i);
      d |= (u32)(u16)(x < y ? x : y) << i;
    } return d)
WORD1(bfind_s, "bfind.s32", for (int i = 31; i >= 0; --i) if (bit(a, i) != bit(a, 31)) return i;
      return ~0u)
WORD1(bfind_shift, "bfind.shiftamt.u32", for (int i = 31; i >= 0; --i) if (bit(a, i)) return 31 - i;
      return ~0u)
WORD1(brev_w, "brev.b32", u32 d = 0; for (int i = 0; i < 32; ++i) d |= bit(a, i) << (31 - i);
      return d)
WORD1(clz_w, "clz.b32", u32 d = 0; while (d < 32 && !bit(a, 31 - d))++ d; return d)
WORD1(popc_w, "popc.b32", u32 d = 0; for (int i = 0; i < 32; ++i) d += bit(a, i); return d)
WORD(fns_w, "{.reg .b32 t; and.b32 t, %2, 31; fns.b32 %0, %1, t, %3;} //", b &= 31;
     const int n = (int)c % 8; if (n == 0) return bit(a, b) ? b : ~0u; int left = abs(n);
     for (int i = (int)b;
          i >= 0 && i<32; i += n> 0 ? 1 : -1) if (bit(a, i) && --left == 0) return i;
     return ~0u)
template <class T>
static T extract(T a, u32 b, u32 c, bool is_signed) {
  const int width = sizeof(T) * 8, pos = b & 0xff, len = c & 0xff;
  const int at = pos + len - 1 < width - 1 ? pos + len - 1 : width - 1;
  const T sign = is_signed && len > 0 ? a >> at & 1 : 0;
  T d = 0;
  for (int i = 0; i < width; ++i)
    d |= (i < len && pos + i < width ? a >> (pos + i) & 1 : sign) << i;
  return d;
}
WORD(bfe_s, "bfe.s32", return extract(a, b, c, true))
WORD(bfe_u, "bfe.u32", return extract(a, b, c, false))
LONG(bfe_l, "{.reg .b32 p, n; cvt.u32.u64 p, %2; cvt.u32.u64 n, %3; bfe.s64 %0, %1, p, n;}",
     return extract(a, (u32)b, (u32)c, true))
CASE(bfi_w, u32, "r", u32, "r", "bfi.b32 %0, %1, 0x55555555, %2, %3;", u32 d = 0x55555555;
     const u32 pos = b & 0xff; for (u32 i = 0; i < (c & 0xff) && pos + i < 32; ++i)
                                   d = (d & ~(1u << (pos + i))) | bit(a, i) << (pos + i);
     return d)
WORD2(szext_c, "szext.clamp.s32", if (b >= 32) return a; if (b == 0) return 0; u32 d = 0;
      for (u32 i = 0; i < 32; ++i) d |= bit(a, i < b ? i : b - 1) << i; return d)
WORD2(szext_w, "szext.wrap.u32", u32 d = 0; for (u32 i = 0; i < (b & 31); ++i) d |= bit(a, i) << i;
      return d)
WORD2(bmsk_c, "bmsk.clamp.b32", u32 d = 0;
      for (u64 i = 0; i < 32; ++i) if (i >= a && i < (u64)a + b) d |= 1u << i; return d)
WORD2(bmsk_w, "bmsk.wrap.b32", u32 d = 0;
      for (u32 i = 0; i < 32; ++i) if (i >= (a & 31) && i < (a & 31) + (b & 31)) d |= 1u << i;
      return d)
WORD(dp4a_su, "dp4a.s32.u32", u32 d = c;
     for (int i = 0; i < 4; ++i) d += (u32)(sbyte(a, i) * (int)byte(b, i)); return d)
WORD(dp2a_hi, "dp2a.hi.s32.u32", u32 d = c;
     for (int i = 0; i < 2; ++i) d += (u32)((short)(a >> (16 * i)) * (int)byte(b, 2 + i)); return d)
CASE(mul_wide_s, u64, "l", u32, "r", "mul.wide.s32 %0, %1, %2;", return (u64)(sx(a) * sx(b)))
CASE(mul_wide_h, u32, "r", u16, "h", "mul.wide.u16 %0, %1, %2;", return (u32)a * b)
CASE(mul_hi_h, u16, "h", u16, "h", "mul.hi.s16 %0, %1, %2;",
     return (u16)((short)a * (short)b >> 16))
CASE(shr_h, u16, "h", u16, "h", "{.reg .u32 n; cvt.u32.u16 n, %2; shr.s16 %0, %1, n;}",
     return (u16)((short)a >> (b > 15 ? 15 : b)))
LONG(mul_hi_l, "mul.hi.s64 %0, %1, %2;", return (u64)(sx(a) * sx(b) >> 64))
LONG(mad_hi_l, "mad.hi.u64 %0, %1, %2, %3;", return (u64)((u128)a * b >> 64) + c)
LONG(sad_l, "sad.s64 %0, %1, %2, %3;", const i128 d = sx(a) - sx(b);
     return c + (u64)(d < 0 ? -d : d))
LONG(brev_l, "brev.b64 %0, %1;", u64 d = 0;
     for (int i = 0; i < 64; ++i) d |= (a >> i & 1) << (63 - i); return d)

// Logic, shifts, bytes.
WORD(lop3_w, "{.reg .b32 t; mov.b32 t, 0; lop3.b32 %0, %1, %2, %3, 0xd8;}  //", u32 d = 0;
     for (int i = 0; i < 32; ++i) d |= (0xd8u >> (bit(a, i) * 4 + bit(b, i) * 2 + bit(c, i)) & 1)
                                       << i;
     return d)
WORD1(cnot_w, "cnot.b32", return a == 0)
WORD2(shl_w, "shl.b32", return b > 31 ? 0 : a << b)
WORD2(shr_w, "shr.s32", return (u32)(sx(a) >> (b > 31 ? 31 : b)))
static u32 funnel(u32 a, u32 b, u32 n, bool left) {
  const u64 both = (u64)b << 32 | a;
  return left ? (u32)((u128)both << n >> 32) : (u32)(both >> n);
}
WORD(shf_lw, "shf.l.wrap.b32", return funnel(a, b, c & 31, true))
WORD(shf_lc, "shf.l.clamp.b32", return funnel(a, b, c > 32 ? 32 : c, true))
WORD(shf_rw, "shf.r.wrap.b32", return funnel(a, b, c & 31, false))
WORD(shf_rc, "shf.r.clamp.b32", return funnel(a, b, c > 32 ? 32 : c, false))
static u32 bytes(u32 a, u32 b, int i3, int i2, int i1, int i0) {
  const u64 both = (u64)b << 32 | a;
  const auto at = [&](int i) { return (u32)(both >> (8 * i)) & 0xff; };
  return at(i3) << 24 | at(i2) << 16 | at(i1) << 8 | at(i0);
}
WORD(
    prmt_w, "prmt.b32", u32 d = 0; for (int i = 0; i < 4; ++i) {
      const u32 which = c >> (4 * i) & 15;
      u32 x = byte(which & 4 ? b : a, which & 3);
      if (which & 8) x = x & 0x80 ? 0xff : 0;
      d |= x << (8 * i);
    } return d)
WORD(prmt_f4e, "prmt.b32.f4e", const int n = c & 3; return bytes(a, b, n + 3, n + 2, n + 1, n))
WORD(prmt_b4e, "prmt.b32.b4e", const int n = c & 3;
     return bytes(a, b, (n + 5) & 7, (n + 6) & 7, (n + 7) & 7, n))
WORD(prmt_rc8, "prmt.b32.rc8", const int n = c & 3; return bytes(a, b, n, n, n, n))
WORD(prmt_ecl, "prmt.b32.ecl", const int n = c & 3;
     return bytes(a, b, 3, n > 2 ? n : 2, n > 1 ? n : 1, n))
WORD(prmt_ecr, "prmt.b32.ecr", const int n = c & 3;
     return bytes(a, b, n, n < 2 ? n : 2, n < 1 ? n : 1, 0))
WORD(prmt_rc16, "prmt.b32.rc16", const int n = (c & 1) * 2; return bytes(a, b, n + 1, n, n + 1, n))

// Carries: within one asm, and from one to the next.
LONG(sum_128, "{.reg .u64 t; add.cc.u64 t, %1, %2; addc.u64 %0, %3, 0;}",
     return c + (u64)(((u128)a + b) >> 64))
LONG(difference_128,
     "{.reg .u64 t; sub.cc.u64 t, %1, %2; subc.cc.u64 t, %3, %1; subc.u64 %0, 0, 0;}",
     const i128 low = (i128)a - b;
     return (i128)c - a - (low < 0) < 0 ? ~0ull : 0)
LONG(square_high,
     "{.reg .u32 l, h, p, q, r; mov.b64 {l, h}, %1; mul.hi.u32 p, l, l; mad.lo.cc.u32 p, l, h, p; "
     "madc.hi.u32 q, l, h, 0; mad.lo.cc.u32 p, h, l, p; madc.hi.cc.u32 q, h, l, q; addc.u32 r, 0, "
     "0; "
     "mad.lo.cc.u32 q, h, h, q; madc.hi.u32 r, h, h, r; mov.b64 %0, {q, r};}",
     return (u64)((u128)a * a >> 64))
struct separate_carries {
  typedef u64 In;
  typedef u64 Out;
  static const char* name() { return "add.cc and addc in statements of their own"; }
  __device__ static u32 add_cc(u32 x, u32 y) {
    u32 r;
    asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
    return r;
  }
  __device__ static u32 addc(u32 x, u32 y) {
    u32 r;
    asm volatile("addc.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
    return r;
  }
  __device__ static u64 device(u64 a, u64 b, u64) {
    const u32 low = add_cc((u32)a, (u32)b);
    return (u64)addc((u32)(a >> 32), (u32)(b >> 32)) << 32 | low;
  }
  static u64 host(u64 a, u64 b, u64) { return a + b; }
};

// Comparisons: both predicates, and numbers.
WORD(setp_pq,
     "{.reg .pred p, q, r; .reg .u32 t; setp.ne.u32 r, %3, 0; setp.lt.and.s32 p|q, %1, %2, !r; "
     "selp.u32 t, 1, 0, p; "
     "@q add.u32 t, t, 2; mov.u32 %0, t;} //",
     const bool t = sx(a) < sx(b), r = c == 0;
     return (t && r) + 2 * (!t && r))
WORD2(set_w, "set.hi.u32.u32", return a > b ? ~0u : 0)
WORD(lop3_p,
     "{.reg .pred p, q; .reg .b32 t; setp.gt.s32 q, %3, 5; lop3.or.b32 t|p, %1, %2, %3, 0x80, q; "
     "selp.b32 %0, 1, t, p;} //",
     const u32 t = a & b & c;
     return t != 0 || sx(c) > 5 ? 1 : t)
WORD(slct_w, "slct.u32.s32", return sx(c) >= 0 ? a : b)

// Video.
static i128 limit(i128 x, i128 low, i128 high) {
  return x < low ? low : x > high ? high : x;
}
WORD(vadd_merge, "vadd.s32.u32.s32.sat %0.b2, %1.b1, %2.h1, %3; //",
     const i128 x = limit((i128)byte(a, 1) + (short)(b >> 16), -128, 127);
     return (c & 0xff00ffff) | ((u32)x & 0xff) << 16)
WORD2(vsub_sat, "vsub.u32.u32.s32.sat", return (i128)a < sx(b) ? 0 : (u32)((i128)a - sx(b)))
WORD(vabsdiff_add, "vabsdiff.u32.u32.u32.add %0, %1.b0, %2.b3, %3; //",
     return c + (u32)abs((int)byte(a, 0) - (int)byte(b, 3)))
WORD(vmax_min, "vmax.s32.s32.u32.min %0, %1, %2.h0, %3; //",
     const long long m = sx(a) > (int)(b & 0xffff) ? sx(a) : (int)(b & 0xffff);
     return (u32)(m < sx(c) ? m : sx(c)))
WORD2(vshl_sat, "vshl.s32.s32.u32.sat.clamp",
      return clamp_s32((i128)sx(a) * ((i128)1 << (b > 32 ? 32 : b))))
WORD2(vshr_wrap, "vshr.s32.s32.u32.wrap", return (u32)(sx(a) >> (b & 31)))
WORD(vmad_sat, "vmad.s32.s32.u32.sat.shr7 %0, %1.h0, -%2.h1, %3; //",
     return clamp_s32((-(i128)(short)a * (b >> 16) + sx(c)) >> 7))
WORD(vmad_po, "vmad.u32.u32.u32.po.shr15 %0, %1, %2.b0, %3; //",
     return (u32)((sx(a) * byte(b, 0) + sx(c) + 1) >> 15))
WORD(vset_add, "vset.s32.u32.lt.add %0, %1.b0, %2.b1, %3; //",
     return c + (sbyte(a, 0) < (int)byte(b, 1)))
WORD(vadd4_w, "vadd4.s32.s32.s32.sat", u32 d = 0;
     for (int i = 0; i < 4; ++i) d |= ((u32)limit(sbyte(a, i) + sbyte(b, i), -128, 127) & 0xff)
                                      << (8 * i);
     return d)
WORD(vabsdiff4_add, "vabsdiff4.u32.u32.u32.add", u32 d = c;
     for (int i = 0; i < 4; ++i) d += (u32)abs((int)byte(a, i) - (int)byte(b, i)); return d)
WORD(
    vavrg2_w, "vavrg2.s32.s32.s32", u32 d = 0; for (int i = 0; i < 32; i += 16) {
      const int x = (short)(a >> i) + (short)(b >> i);
      d |= (u32)((x >= 0 ? x + 1 : x) >> 1 & 0xffff) << i;
    } return d)
WORD(vmin2_pick, "vmin2.u32.u32.u32 %0.h1, %1.h10, %2.h02, %3; //", const u32 x = a >> 16,
     y = a & 0xffff;
     return (c & 0xffff) | (x < y ? x : y) << 16)
WORD(vset2_w, "vset2.u32.u32.ge",
     return ((a & 0xffff) >= (b & 0xffff)) | ((a >> 16) >= (b >> 16)) << 16)

int main() {
  test<add_sat>(words, {0}), test<sub_sat>(words, {0}), test<mul_hi_s>(words, {0}),
      test<mul_hi_u>(words, {0});
  test<mad_hi_sat>(words, some_words), test<mul24_lo>(words, {0}), test<mul24_hi>(words, {0}),
      test<mul24_hi_u>(words, {0});
  test<mad24_sat>(words, some_words), test<sad_s>(words, some_words), test<min_relu>(words, {0}),
      test<max_relu>(words, {0});
  test<add_16x2>(words, {0}), test<min_16x2>(words, {0}), test<bfind_s>(words, {0}),
      test<bfind_shift>(words, {0});
  test<brev_w>(words, {0}), test<clz_w>(words, {0}), test<popc_w>(words, {0});
  test<fns_w>(words, {0, 1, 2, 3, ~0u, (u32)-2, (u32)-3});
  test<bfe_s>(words, some_words), test<bfe_u>(words, some_words), test<bfe_l>(longs, some_longs),
      test<bfi_w>(words, some_words);
  test<szext_c>(words, {0}), test<szext_w>(words, {0}), test<bmsk_c>(words, {0}),
      test<bmsk_w>(words, {0});
  test<dp4a_su>(words, some_words), test<dp2a_hi>(words, some_words), test<mul_wide_s>(words, {0});
  test<mul_wide_h>(shorts, {0}), test<mul_hi_h>(shorts, {0}), test<shr_h>(shorts, {0}),
      test<mul_hi_l>(longs, {0});
  test<mad_hi_l>(longs, some_longs), test<sad_l>(longs, some_longs), test<brev_l>(longs, {0});
  test<lop3_w>(words, some_words), test<cnot_w>(words, {0}), test<shl_w>(words, {0}),
      test<shr_w>(words, {0});
  test<shf_lw>(words, some_words), test<shf_lc>(words, some_words), test<shf_rw>(words, some_words),
      test<shf_rc>(words, some_words);
  test<prmt_w>(words, {0x3210, 0xba98, 0x7654, 0xf0f8, 0x1b3d}), test<prmt_f4e>(words, some_words),
      test<prmt_b4e>(words, some_words);
  test<prmt_rc8>(words, some_words), test<prmt_ecl>(words, some_words),
      test<prmt_ecr>(words, some_words), test<prmt_rc16>(words, some_words);
  test<sum_128>(longs, some_longs), test<difference_128>(longs, some_longs),
      test<square_high>(longs, {0}), test<separate_carries>(longs, {0});
  test<setp_pq>(words, {0, 1}), test<set_w>(words, {0}), test<lop3_p>(words, some_words),
      test<slct_w>(words, some_words);
  test<vadd_merge>(words, some_words), test<vsub_sat>(words, {0}),
      test<vabsdiff_add>(words, some_words), test<vmax_min>(words, some_words);
  test<vshl_sat>(words, {0}), test<vshr_wrap>(words, {0}), test<vmad_sat>(words, some_words),
      test<vmad_po>(words, some_words);
  test<vset_add>(words, some_words), test<vadd4_w>(words, {0}),
      test<vabsdiff4_add>(words, some_words), test<vavrg2_w>(words, {0});
  test<vmin2_pick>(words, some_words), test<vset2_w>(words, {0});
  printf(failures ? "%d instructions are wrong\n" : "all right\n", failures);
  return failures != 0;
}
