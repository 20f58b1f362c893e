// Programs of named facts: each line of their output is `fact: value`. What a kernel says comes
// from one thread, so that the order is the same everywhere; inputs come from memory, so that no
// compiler computes the answer beforehand.
#pragma once

#include <cstdio>
#include <cstring>

#define FACT(format, name, ...) printf("%s: " format "\n", name, __VA_ARGS__)
#define INT(expression) FACT("%d", #expression, static_cast<int>(expression))
#define UINT(expression) FACT("0x%08x", #expression, static_cast<unsigned>(expression))
#define LONG(expression) FACT("%lld", #expression, static_cast<long long>(expression))
#define ULONG(expression) \
  FACT("0x%016llx", #expression, static_cast<unsigned long long>(expression))
#define FLOAT(expression) FACT("0x%08x", #expression, plain_bits(expression))
#define DOUBLE(expression) FACT("0x%016llx", #expression, plain_bits(expression))

// A name that a kernel can print: a pointer to the host's text would mean nothing to it.
struct Name {
  char text[24];
};

// The bits of a number; every NaN is one fact.
__host__ __device__ inline unsigned plain_bits(float value) {
  unsigned bits;
  memcpy(&bits, &value, sizeof bits);
  return value != value ? 0x7fffffffu : bits;
}
__host__ __device__ inline unsigned long long plain_bits(double value) {
  unsigned long long bits;
  memcpy(&bits, &value, sizeof bits);
  return value != value ? 0x7fffffffffffffffull : bits;
}

// main() of a program ends with this: a fault must not look like a short list of facts.
inline int finished() {
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  return error == cudaSuccess ? 0 : 1;
}
