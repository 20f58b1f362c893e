// What atomics give back and leave behind, of every type they take.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "facts.h"

__device__ int words[8];
__device__ unsigned unsigned_words[8];
__device__ unsigned long long longs[8];
__device__ long long signed_longs[8];
__device__ float floats[4];
__device__ double doubles[4];
__device__ __half2 halves[4];
__device__ __nv_bfloat162 brains[4];
__device__ unsigned short shorts[4];

// Sets the word, calls, and tells what came back and what is there now.
#define STEP(format, word, value, ...)                                               \
  {                                                                                  \
    word = value;                                                                    \
    const auto old = __VA_ARGS__;                                                    \
    printf(#__VA_ARGS__ " of " #value ": " format ", then " format "\n", old, word); \
  }

__global__ void integers(int* w, unsigned* u, int minus, unsigned ones){
    STEP("%d", w[0], 5, atomicAdd(&w[0], minus)) STEP("%d", w[0], 2147483647, atomicAdd(&w[0], 1))
        STEP("%d", w[1], -5, atomicSub(&w[1], minus)) STEP(
            "%d", w[1], 7, atomicExch(&w[1], minus)) STEP("%d", w[2], -3, atomicMin(&w[2], minus))
            STEP("%d", w[2], -12, atomicMin(&w[2], minus)) STEP(
                "%d", w[2], -3,
                atomicMax(&w[2], minus)) STEP("%d", w[2], -12, atomicMax(&w[2], minus))
                STEP("%d", w[3], 12, atomicAnd(&w[3], 10)) STEP("%d", w[3], 12, atomicOr(&w[3], 10))
                    STEP("%d", w[3], 12,
                         atomicXor(&w[3], 10)) STEP("%d", w[4], 12, atomicCAS(&w[4], 12, minus))
                        STEP("%d", w[4], 13,
                             atomicCAS(&w[4], 12,
                                       minus)) STEP("%d", w[5], 13, atomicAdd_block(&w[5], minus))
                            STEP("%d", w[5], 13, atomicMax_system(&w[5], 99)) STEP(
                                "%u", u[0],
                                5u,
                                atomicAdd(&u[0], ones)) STEP("%u", u[0], 0u, atomicSub(&u[0], 1u))
                                STEP("%u", u[1], 5u,
                                     atomicMin(&u[1],
                                               ones)) STEP("%u", u[1], 5u, atomicMax(&u[1], ones))
                                    STEP("%u", u[2], 5u,
                                         atomicInc(&u[2],
                                                   7u)) STEP("%u", u[2], 7u, atomicInc(&u[2], 7u))
                                        STEP("%u", u[2], 8u, atomicInc(&u[2], 7u))
                                            STEP("%u", u[2], 0u, atomicInc(&u[2], 0u))
                                                STEP("%u", u[3], 5u, atomicDec(&u[3], 7u))
                                                    STEP("%u", u[3], 0u, atomicDec(&u[3], 7u))
                                                        STEP("%u", u[3], 8u, atomicDec(&u[3], 7u))
                                                            STEP("%u", u[3], 1u,
                                                                 atomicDec(&u[3], 0u))
                                                                STEP("%u", u[4], 8u,
                                                                     atomicExch(&u[4], ones))
                                                                    STEP("%u", u[4], 8u,
                                                                         atomicCAS(&u[4], 8u, ones))
                                                                        STEP("%u", u[5], 8u,
                                                                             atomicXor(&u[5],
                                                                                       ones))}

__global__ void wide(unsigned long long* l, long long* s, unsigned long long top){
    STEP("%llu", l[0], 5ull, atomicAdd(&l[0], top)) STEP("%llu", l[0], top, atomicAdd(&l[0], top))
        STEP("%llu", l[1], 5ull, atomicMin(&l[1], top))
            STEP("%llu", l[1], 5ull, atomicMax(&l[1], top))
                STEP("%llu", l[2], 5ull, atomicAnd(&l[2], top + 4))
                    STEP("%llu", l[2], 5ull, atomicOr(&l[2], top))
                        STEP("%llu", l[2], 5ull, atomicXor(&l[2], top + 1))
                            STEP("%llu", l[3], 5ull, atomicExch(&l[3], top))
                                STEP("%llu", l[3], 5ull, atomicCAS(&l[3], 5ull, top))
                                    STEP("%llu", l[3], 6ull, atomicCAS(&l[3], 5ull, top))
                                        STEP("%lld", s[0], -5ll, atomicMin(&s[0], 3ll))
                                            STEP("%lld", s[0], -5ll, atomicMax(&s[0], 3ll))}

__global__ void fractions(float* f, double* d, float big, float tiny){
    STEP("%.9g", f[0], 1.5f, atomicAdd(&f[0], 2.25f))
        STEP("%.9g", f[0], big, atomicAdd(&f[0], 1.0f))
            STEP("%.9g", f[0], tiny, atomicAdd(&f[0], tiny))
                STEP("%.9g", f[1], 1.5f, atomicExch(&f[1], -0.5f))
                    STEP("%.17g", d[0], 1.5, atomicAdd(&d[0], 0.1))
                        STEP("%.17g", d[0], 1e300, atomicAdd(&d[0], 1.0))}

__device__ unsigned bits(__half2 pair) {
  unsigned word;
  memcpy(&word, &pair, 4);
  return word;
}
__device__ unsigned bits(__nv_bfloat162 pair) {
  unsigned word;
  memcpy(&word, &pair, 4);
  return word;
}

__global__ void small(__half2* h, __nv_bfloat162* b, unsigned short* s, float x) {
  h[0] = __floats2half2_rn(x, 2 * x);
  UINT(bits(atomicAdd(&h[0], __floats2half2_rn(0.5f, 2048.0f))));
  UINT(bits(h[0]));
  UINT(__half_as_ushort(atomicAdd(reinterpret_cast<__half*>(&h[0]), __float2half(65504.0f))));
  UINT(__half_as_ushort(atomicAdd(reinterpret_cast<__half*>(&h[0]), __float2half(65504.0f))));
  UINT(bits(h[0]));
  b[0] = __floats2bfloat162_rn(x, 2 * x);
  UINT(bits(atomicAdd(&b[0], __floats2bfloat162_rn(0.5f, 256.0f))));
  UINT(bits(b[0]));
  UINT(__bfloat16_as_ushort(
      atomicAdd(reinterpret_cast<__nv_bfloat16*>(&b[0]), __float2bfloat16(300.0f))));
  UINT(bits(b[0]));
  STEP("%hu", s[0], 7,
       atomicCAS(&s[0], static_cast<unsigned short>(7), static_cast<unsigned short>(9)))
  STEP("%hu", s[1], 8,
       atomicCAS(&s[1], static_cast<unsigned short>(7), static_cast<unsigned short>(9)))
}

// Loops around atomicCAS, as written for types and operations that have no atomic.
__global__ void loops(int* product, float* largest) {
  int seen = *product, assumed;
  do {
    assumed = seen;
    seen = atomicCAS(product, assumed, assumed * 2);
  } while (seen != assumed);
  int* const word = reinterpret_cast<int*>(largest);
  const float mine = static_cast<float>(threadIdx.x * 37 % 64);
  int now = *word;
  do {
    assumed = now;
    now = atomicCAS(word, assumed, __float_as_int(fmaxf(mine, __int_as_float(assumed))));
  } while (now != assumed);
}

int main() {
  void *w, *u, *l, *sl, *f, *d, *h, *b, *s;
  cudaGetSymbolAddress(&w, words);
  cudaGetSymbolAddress(&u, unsigned_words);
  cudaGetSymbolAddress(&l, longs);
  cudaGetSymbolAddress(&sl, signed_longs);
  cudaGetSymbolAddress(&f, floats);
  cudaGetSymbolAddress(&d, doubles);
  cudaGetSymbolAddress(&h, halves);
  cudaGetSymbolAddress(&b, brains);
  cudaGetSymbolAddress(&s, shorts);
  integers<<<1, 1>>>(static_cast<int*>(w), static_cast<unsigned*>(u), -7, 0xffffffffu);
  cudaDeviceSynchronize();
  wide<<<1, 1>>>(static_cast<unsigned long long*>(l), static_cast<long long*>(sl), 1ull << 63);
  cudaDeviceSynchronize();
  fractions<<<1, 1>>>(static_cast<float*>(f), static_cast<double*>(d), 16777216.0f, 1e-45f);
  cudaDeviceSynchronize();
  small<<<1, 1>>>(static_cast<__half2*>(h), static_cast<__nv_bfloat162*>(b),
                  static_cast<unsigned short*>(s), 1.0f);
  cudaDeviceSynchronize();
  const int one = 1;
  const float none = -1.0f;
  cudaMemcpyToSymbol(words, &one, sizeof one);
  cudaMemcpyToSymbol(floats, &none, sizeof none);
  loops<<<1, 20>>>(static_cast<int*>(w), static_cast<float*>(f));
  int product;
  float largest;
  cudaMemcpyFromSymbol(&product, words, sizeof product);
  cudaMemcpyFromSymbol(&largest, floats, sizeof largest);
  printf("product of 20 twos: %d\nlargest: %g\n", product, largest);
  return finished();
}
