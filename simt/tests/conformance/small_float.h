// Every function of a 16-bit float whose result CUDA defines exactly; half.cu and bf16.cu say which
// float it is: Small, Pair, the names of its conversions, the bits of 1 and those that move a
// number a little. See numerics.h.
#pragma once

#include "numerics.h"

__device__ Small h(unsigned i) {
  return from_bits<Small>(i);
}
__device__ Small r(unsigned i, unsigned k) {
  return from_bits<Small>(random_bits(i, k));
}
__device__ Pair v(unsigned i, unsigned k) {
  return from_bits<Pair>(random_bits(i, k));
}
__device__ unsigned long long b(Small x) {
  return bits_of<unsigned long long>(x);
}
__device__ unsigned long long b2(Pair x) {
  return bits_of<unsigned long long>(x);
}
__device__ unsigned long long f(float x) {
  return bits_of<unsigned long long>(x);
}
// Near numbers make sums that cancel and products that tie; random bits alone seldom do.
__device__ Small n(unsigned i, unsigned k) {
  const unsigned long long bits = random_bits(i, k);
  return from_bits<Small>(one_bits ^ (bits & near_mask));
}

#define BOTH(name, type, mode)                                          \
  BITS(to_##name##_##mode, (unsigned long long)TO(name##_##mode)(h(i))) \
  BITS(from_##name##_##mode, b(FROM(name, _##mode)((type)(random_bits(i, 3) >> (i % 64)))))
#define INTEGER(name, type) \
  BOTH(name, type, rn) BOTH(name, type, rz) BOTH(name, type, ru) BOTH(name, type, rd)

BITS(float2_rn, b(FROM(float, _rn)(any_float(i, 1))))
BITS(float2_rn_any, b(FROM(float, _rn)(from_bits<float>(random_bits(i, 7)))))
BITS(float2_rz, b(FROM(float, _rz)(any_float(i, 1))))
BITS(float2_rz_any, b(FROM(float, _rz)(from_bits<float>(random_bits(i, 7)))))
BITS(float2_ru, b(FROM(float, _ru)(any_float(i, 1))))
BITS(float2_ru_any, b(FROM(float, _ru)(from_bits<float>(random_bits(i, 7)))))
BITS(float2_rd, b(FROM(float, _rd)(any_float(i, 1))))
BITS(float2_rd_any, b(FROM(float, _rd)(from_bits<float>(random_bits(i, 7)))))
BITS(double2, b(FROM(double, )(any_double(i, 1))))
BITS(to_float, f(TO(float)(h(i))))
INTEGER(int, int)
INTEGER(uint, unsigned)
INTEGER(short, short)
INTEGER(ushort, unsigned short)
INTEGER(ll, long long)
INTEGER(ull, unsigned long long)
BITS(to_char_rz, (unsigned long long)TO(char_rz)(h(i)))
BITS(to_uchar_rz, (unsigned long long)TO(uchar_rz)(h(i)))
BITS(hadd, b(__hadd(r(i, 1), r(i, 2))))
BITS(hadd_near, b(__hadd(n(i, 1), n(i, 2))))
BITS(hadd_sat, b(__hadd_sat(n(i, 1), n(i, 2))))
BITS(hadd_sat_any, b(__hadd_sat(r(i, 1), r(i, 2))))
BITS(hadd_rn, b(__hadd_rn(r(i, 1), r(i, 2))))
BITS(hadd2, b2(__hadd2(v(i, 1), v(i, 2))))
BITS(hadd2_sat, b2(__hadd2_sat(v(i, 1), v(i, 2))))
BITS(hsub, b(__hsub(r(i, 1), r(i, 2))))
BITS(hsub_near, b(__hsub(n(i, 1), n(i, 2))))
BITS(hsub_sat, b(__hsub_sat(n(i, 1), n(i, 2))))
BITS(hsub_sat_any, b(__hsub_sat(r(i, 1), r(i, 2))))
BITS(hsub_rn, b(__hsub_rn(r(i, 1), r(i, 2))))
BITS(hsub2, b2(__hsub2(v(i, 1), v(i, 2))))
BITS(hsub2_sat, b2(__hsub2_sat(v(i, 1), v(i, 2))))
BITS(hmul, b(__hmul(r(i, 1), r(i, 2))))
BITS(hmul_near, b(__hmul(n(i, 1), n(i, 2))))
BITS(hmul_sat, b(__hmul_sat(n(i, 1), n(i, 2))))
BITS(hmul_sat_any, b(__hmul_sat(r(i, 1), r(i, 2))))
BITS(hmul_rn, b(__hmul_rn(r(i, 1), r(i, 2))))
BITS(hmul2, b2(__hmul2(v(i, 1), v(i, 2))))
BITS(hmul2_sat, b2(__hmul2_sat(v(i, 1), v(i, 2))))
BITS(hdiv, b(__hdiv(r(i, 1), r(i, 2))))
BITS(hdiv_near, b(__hdiv(n(i, 1), n(i, 2))))
BITS(h2div, b2(__h2div(v(i, 1), v(i, 2))))
BITS(hfma, b(__hfma(r(i, 1), r(i, 2), r(i, 3))))
BITS(hfma_near, b(__hfma(n(i, 1), n(i, 2), n(i, 3))))
BITS(hfma_sat, b(__hfma_sat(r(i, 1), r(i, 2), r(i, 3))))
BITS(hfma_sat_near, b(__hfma_sat(n(i, 1), n(i, 2), n(i, 3))))
BITS(hfma_relu, b(__hfma_relu(r(i, 1), r(i, 2), r(i, 3))))
BITS(hfma_relu_near, b(__hfma_relu(n(i, 1), n(i, 2), n(i, 3))))
BITS(hfma_tie, b(__hfma(n(i, 1), n(i, 2), r(i, 3))))
BITS(hfma2, b2(__hfma2(v(i, 1), v(i, 2), v(i, 3))))
BITS(hfma2_sat, b2(__hfma2_sat(v(i, 1), v(i, 2), v(i, 3))))
BITS(hfma2_relu, b2(__hfma2_relu(v(i, 1), v(i, 2), v(i, 3))))
BITS(hcmadd, b2(__hcmadd(v(i, 1), v(i, 2), v(i, 3))))
BITS(hneg, b(__hneg(h(i))))
BITS(habs, b(__habs(h(i))))
BITS(hneg2, b2(__hneg2(v(i, 1))))
BITS(habs2, b2(__habs2(v(i, 1))))
BITS(hmax, b(__hmax(r(i, 1), r(i, 2))))
BITS(hmax_same, b(__hmax(h(i), h(i ^ 0x8000))))
BITS(hmax2, b2(__hmax2(v(i, 1), v(i, 2))))
BITS(hmin, b(__hmin(r(i, 1), r(i, 2))))
BITS(hmin_same, b(__hmin(h(i), h(i ^ 0x8000))))
BITS(hmin2, b2(__hmin2(v(i, 1), v(i, 2))))
BITS(hmax_nan, b(__hmax_nan(r(i, 1), r(i, 2))))
BITS(hmax_nan_same, b(__hmax_nan(h(i), h(i ^ 0x8000))))
BITS(hmax2_nan, b2(__hmax2_nan(v(i, 1), v(i, 2))))
BITS(hmin_nan, b(__hmin_nan(r(i, 1), r(i, 2))))
BITS(hmin_nan_same, b(__hmin_nan(h(i), h(i ^ 0x8000))))
BITS(hmin2_nan, b2(__hmin2_nan(v(i, 1), v(i, 2))))
BITS(heq, __heq(n(i, 1), n(i, 2)) | __hequ(r(i, 1), r(i, 2)) << 1)
BITS(heq2, b2(__heq2(v(i, 1), v(i, 2))))
BITS(hequ2, b2(__hequ2(v(i, 1), v(i, 2))))
BITS(heq2_mask, __heq2_mask(v(i, 1), v(i, 2)) * 3ull + __hequ2_mask(v(i, 1), v(i, 2)))
BITS(hbeq2, __hbeq2(v(i, 1), v(i, 2)) | __hbequ2(v(i, 1), v(i, 2)) << 1)
BITS(hne, __hne(n(i, 1), n(i, 2)) | __hneu(r(i, 1), r(i, 2)) << 1)
BITS(hne2, b2(__hne2(v(i, 1), v(i, 2))))
BITS(hneu2, b2(__hneu2(v(i, 1), v(i, 2))))
BITS(hne2_mask, __hne2_mask(v(i, 1), v(i, 2)) * 3ull + __hneu2_mask(v(i, 1), v(i, 2)))
BITS(hbne2, __hbne2(v(i, 1), v(i, 2)) | __hbneu2(v(i, 1), v(i, 2)) << 1)
BITS(hle, __hle(n(i, 1), n(i, 2)) | __hleu(r(i, 1), r(i, 2)) << 1)
BITS(hle2, b2(__hle2(v(i, 1), v(i, 2))))
BITS(hleu2, b2(__hleu2(v(i, 1), v(i, 2))))
BITS(hle2_mask, __hle2_mask(v(i, 1), v(i, 2)) * 3ull + __hleu2_mask(v(i, 1), v(i, 2)))
BITS(hble2, __hble2(v(i, 1), v(i, 2)) | __hbleu2(v(i, 1), v(i, 2)) << 1)
BITS(hge, __hge(n(i, 1), n(i, 2)) | __hgeu(r(i, 1), r(i, 2)) << 1)
BITS(hge2, b2(__hge2(v(i, 1), v(i, 2))))
BITS(hgeu2, b2(__hgeu2(v(i, 1), v(i, 2))))
BITS(hge2_mask, __hge2_mask(v(i, 1), v(i, 2)) * 3ull + __hgeu2_mask(v(i, 1), v(i, 2)))
BITS(hbge2, __hbge2(v(i, 1), v(i, 2)) | __hbgeu2(v(i, 1), v(i, 2)) << 1)
BITS(hlt, __hlt(n(i, 1), n(i, 2)) | __hltu(r(i, 1), r(i, 2)) << 1)
BITS(hlt2, b2(__hlt2(v(i, 1), v(i, 2))))
BITS(hltu2, b2(__hltu2(v(i, 1), v(i, 2))))
BITS(hlt2_mask, __hlt2_mask(v(i, 1), v(i, 2)) * 3ull + __hltu2_mask(v(i, 1), v(i, 2)))
BITS(hblt2, __hblt2(v(i, 1), v(i, 2)) | __hbltu2(v(i, 1), v(i, 2)) << 1)
BITS(hgt, __hgt(n(i, 1), n(i, 2)) | __hgtu(r(i, 1), r(i, 2)) << 1)
BITS(hgt2, b2(__hgt2(v(i, 1), v(i, 2))))
BITS(hgtu2, b2(__hgtu2(v(i, 1), v(i, 2))))
BITS(hgt2_mask, __hgt2_mask(v(i, 1), v(i, 2)) * 3ull + __hgtu2_mask(v(i, 1), v(i, 2)))
BITS(hbgt2, __hbgt2(v(i, 1), v(i, 2)) | __hbgtu2(v(i, 1), v(i, 2)) << 1)
BITS(hisnan, __hisnan(h(i)))
BITS(hisinf, (unsigned long long)__hisinf(h(i)))
BITS(hisnan2, b2(__hisnan2(v(i, 1))))
BITS(hfloor, b(hfloor(h(i))))
BITS(h2floor, b2(h2floor(v(i, 1))))
BITS(hceil, b(hceil(h(i))))
BITS(h2ceil, b2(h2ceil(v(i, 1))))
BITS(htrunc, b(htrunc(h(i))))
BITS(h2trunc, b2(h2trunc(v(i, 1))))
BITS(hrint, b(hrint(h(i))))
BITS(h2rint, b2(h2rint(v(i, 1))))
BITS(hsqrt, b(hsqrt(h(i))))
BITS(h2sqrt, b2(h2sqrt(v(i, 1))))
BITS(hrcp, b(hrcp(h(i))))
BITS(h2rcp, b2(h2rcp(v(i, 1))))
BITS(hrsqrt, b(hrsqrt(h(i))))
BITS(h2rsqrt, b2(h2rsqrt(v(i, 1))))
BITS(hexp, b(hexp(h(i))))
BITS(h2exp, b2(h2exp(v(i, 1))))
BITS(hexp2, b(hexp2(h(i))))
BITS(h2exp2, b2(h2exp2(v(i, 1))))
BITS(hexp10, b(hexp10(h(i))))
BITS(h2exp10, b2(h2exp10(v(i, 1))))
BITS(hlog, b(hlog(h(i))))
BITS(h2log, b2(h2log(v(i, 1))))
BITS(hlog2, b(hlog2(h(i))))
BITS(h2log2, b2(h2log2(v(i, 1))))
BITS(hlog10, b(hlog10(h(i))))
BITS(h2log10, b2(h2log10(v(i, 1))))
BITS(hsin, b(hsin(h(i))))
BITS(h2sin, b2(h2sin(v(i, 1))))
BITS(hcos, b(hcos(h(i))))
BITS(h2cos, b2(h2cos(v(i, 1))))
BITS(htanh, b(htanh(h(i))))
BITS(h2tanh, b2(h2tanh(v(i, 1))))
BITS(half22float2, bits_of<unsigned long long>(PAIR_TO_FLOATS(v(i, 1))))
BITS(float22half2, b2(FLOATS_TO_PAIR(make_float2(any_float(i, 1), any_float(i, 2)))))
BITS(floats2half2, b2(TWO_TO_PAIR(any_float(i, 1), any_float(i, 2))))
BITS(float2half2, b2(ONE_TO_PAIR(any_float(i, 1))))
BITS(lows, b2(LOWS(v(i, 1), v(i, 2))))
BITS(highs, b2(HIGHS(v(i, 1), v(i, 2))))
BITS(lowhigh, b2(__lowhigh2highlow(v(i, 1))))
// nvcc fuses a multiplication and an addition, so each operator is tried alone.
BITS(operators, b(n(i, 1) * n(i, 2)) | b(r(i, 1) + r(i, 2)) << 16 | b(n(i, 1) - n(i, 2)) << 32 |
                    b(n(i, 1) / n(i, 2)) << 48)
