// Integer functions and operators at their edges.
#include "facts.h"

__device__ unsigned words[] = {0u, 1u, 0x80000000u, 0xffffffffu, 0x12345678u, 0x00ff8001u};
__device__ unsigned long long longs[] = {0, 1, 1ull << 63, ~0ull, 0x123456789abcdef0ull};

__global__ void one_word(int count) {
  for (int i = 0; i < count; ++i) {
    const unsigned x = words[i];
    const int n = static_cast<int>(x);
    printf("x: 0x%08x\n", x);
    INT(__popc(x));
    INT(__clz(n));
    INT(__ffs(n));
    UINT(__brev(x));
    UINT(__byte_perm(x, 0x9abcdef0u, 0x7531));
    UINT(__byte_perm(x, 0x9abcdef0u, 0xfedc));
    UINT(__funnelshift_l(x, 0x9abcdef0u, 4));
    UINT(__funnelshift_r(x, 0x9abcdef0u, 36));
    UINT(__funnelshift_lc(x, 0x9abcdef0u, 40));
    UINT(__funnelshift_rc(x, 0x9abcdef0u, 40));
    INT(__mulhi(n, 0x7fffffff));
    UINT(__umulhi(x, 0xfffffffbu));
    INT(__mul24(n, -3));
    UINT(__umul24(x, 5u));
    UINT(__sad(n, -100, 7u));
    UINT(__usad(x, 100u, 7u));
    INT(__hadd(n, -3));
    INT(__rhadd(n, -3));
    UINT(__uhadd(x, 3u));
    UINT(__urhadd(x, 3u));
    UINT(__fns(x, 0, 3));
    INT(n >> 5);
    INT(abs(n >> 1));
  }
}

__global__ void long_word(int count) {
  for (int i = 0; i < count; ++i) {
    const unsigned long long x = longs[i];
    printf("x: 0x%016llx\n", x);
    INT(__popcll(x));
    INT(__clzll(static_cast<long long>(x)));
    INT(__ffsll(static_cast<long long>(x)));
    ULONG(__brevll(x));
    ULONG(__umul64hi(x, 0xfffffffffffffffbull));
    LONG(__mul64hi(static_cast<long long>(x), -9));
  }
}

__global__ void division(int seven, int zero) {
  const int minus = -seven;
  INT(minus / 2);
  INT(minus % 2);
  INT(seven / -2);
  INT(seven % -4);
  INT((minus >> 1));
  UINT(static_cast<unsigned>(minus) / 3u);
  UINT(static_cast<unsigned>(minus) % 10u);
  LONG(static_cast<long long>(minus) * 1000000007ll / 13);
  INT(static_cast<signed char>(300 + seven));
  INT(static_cast<unsigned char>(minus));
  INT(static_cast<short>(70000 + seven));
  INT(min(minus, seven));
  INT(max(minus, zero));
  UINT(min(static_cast<unsigned>(minus), 7u));
  LONG(max(-5000000000ll, static_cast<long long>(minus)));
}

__global__ void quads(unsigned a, unsigned b) {
  UINT(__vadd4(a, b));
  UINT(__vsub4(a, b));
  UINT(__vaddss4(a, b));
  UINT(__vaddus4(a, b));
  UINT(__vsubss4(a, b));
  UINT(__vsubus4(a, b));
  UINT(__vabsdiffs4(a, b));
  UINT(__vabsdiffu4(a, b));
  UINT(__vavgs4(a, b));
  UINT(__vavgu4(a, b));
  UINT(__vmaxs4(a, b));
  UINT(__vminu4(a, b));
  UINT(__vcmpeq4(a, b));
  UINT(__vcmpgts4(a, b));
  UINT(__vcmpgtu4(a, b));
  UINT(__vseteq4(a, b));
  UINT(__vneg4(a));
  UINT(__vabs4(a));
  UINT(__vabsss4(a));
  UINT(__vsads4(a, b));
  UINT(__vsadu4(a, b));
  UINT(__vadd2(a, b));
  UINT(__vsub2(a, b));
  UINT(__vaddss2(a, b));
  UINT(__vmaxs2(a, b));
  UINT(__vminu2(a, b));
  UINT(__vcmpleu2(a, b));
  UINT(__vabsdiffu2(a, b));
  INT(__dp4a(static_cast<int>(a), static_cast<int>(b), -100));
  UINT(__dp4a(a, b, 100u));
  INT(__dp2a_lo(static_cast<int>(a), static_cast<int>(b), 3));
  UINT(__dp2a_hi(a, b, 3u));
}

int main() {
  one_word<<<1, 1>>>(sizeof words / sizeof words[0]);
  cudaDeviceSynchronize();
  long_word<<<1, 1>>>(sizeof longs / sizeof longs[0]);
  cudaDeviceSynchronize();
  division<<<1, 1>>>(7, 0);
  cudaDeviceSynchronize();
  quads<<<1, 1>>>(0x80ff7f01u, 0x817f0180u);
  cudaDeviceSynchronize();
  quads<<<1, 1>>>(0x12345678u, 0x12005680u);
  return finished();
}
