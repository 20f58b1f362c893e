#pragma once

// Runs one PTX instruction over all pairs of edge values, and compares each result with the host's.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long long u64;
typedef __int128 i128;
typedef unsigned __int128 u128;

inline int failures = 0;

template <class T>
u64 bits_of(T x) {
  u64 bits = 0;
  memcpy(&bits, &x, sizeof x);
  return bits;
}
template <class T, class B>
T from_bits(B bits) {
  T x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

template <class Case>
__global__ void run(const typename Case::In* in, int n, const typename Case::In* third, int thirds,
                    typename Case::Out* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * n * thirds) return;
  out[i] = Case::device(in[i % n], in[i / n % n], third[i / n / n]);
}

template <class Case>
void test(const std::vector<typename Case::In>& values,
          const std::vector<typename Case::In>& third) {
  typename Case::In *in, *in3;
  typename Case::Out* out;
  const int n = (int)values.size(), thirds = (int)third.size(), count = n * n * thirds;
  cudaMalloc(&in, n * sizeof *in);
  cudaMalloc(&in3, thirds * sizeof *in3);
  cudaMalloc(&out, count * sizeof *out);
  cudaMemcpy(in, values.data(), n * sizeof *in, cudaMemcpyDefault);
  cudaMemcpy(in3, third.data(), thirds * sizeof *in3, cudaMemcpyDefault);
  run<Case><<<(count + 255) / 256, 256>>>(in, n, in3, thirds, out);
  std::vector<typename Case::Out> got(count);
  if (cudaMemcpy(got.data(), out, count * sizeof *out, cudaMemcpyDefault) != cudaSuccess)
    ++failures;
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    const auto a = values[i % n], b = values[i / n % n], c = third[i / n / n];
    const typename Case::Out want = Case::host(a, b, c);
    if (bits_of(want) == bits_of(got[i])) continue;
    if (wrong++ == 0) {
      printf("%s: %llx %llx %llx gives %llx, not %llx\n", Case::name(), bits_of(a), bits_of(b),
             bits_of(c), bits_of(got[i]), bits_of(want));
    }
  }
  if (wrong) printf("%s: %d of %d are wrong\n", Case::name(), wrong, count), ++failures;
  cudaFree(in), cudaFree(in3), cudaFree(out);
}

// NAME(a, b, c): TEXT of PTX with %0 the result, and the same by the host. `T` goes in, `R` comes out.
#define CASE(NAME, R, RC, T, TC, TEXT, ...)                 \
  struct NAME {                                             \
    typedef T In;                                           \
    typedef R Out;                                          \
    static const char* name() { return TEXT; }              \
    __device__ static R device(T a, T b, T c) {             \
      R d;                                                  \
      asm volatile(TEXT : "=" RC(d) : TC(a), TC(b), TC(c)); \
      return d;                                             \
    }                                                       \
    static R host(T a, T b, T c) {                          \
      (void)b, (void)c;                                     \
      __VA_ARGS__;                                          \
    }                                                       \
  };
