#pragma once

// What a program of results.py stands on: values for the operands, and a run of each form of an instruction over them.

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

typedef unsigned long long Bits;

constexpr int runs = 512;      // threads that run a form, each on values of its own
constexpr int threads = 128;   // of a block
constexpr int most_words = 8;  // what one thread can have for results

// Integers at their edges, halves and bfloat16s of every kind in pairs, amounts of shifts.
__device__ const uint32_t words[] = {
    0,          1,          2,          3,          5,          7,          8,          15,
    16,         17,         24,         31,         32,         33,         63,         64,
    65,         0x7f,       0x80,       0xff,       0x100,      0x7fff,     0x8000,     0xffff,
    0x10000,    0x3210,     0x7531,     0x7fffff,   0x800000,   0xffffff,   0x7fffffff, 0x80000000,
    0x80000001, 0xfffffffe, 0xffffffff, 0xdeadbeef, 0x12345678, 0x80ff7f01, 0x3c00bc00, 0x7c00fc00,
    0x7e007bff, 0x04000001, 0x83ff3555, 0x3f80bf80, 0x7f80ff80, 0x7fc07f7f, 0x00800001, 0x807f4049,
    0x64006401, 0x42004248, 0x3bff3c01, 0x7fff7d01, 0xffaa5500, 0x0f0f3c3c};
__device__ const uint32_t floats[] = {
    0,          0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
    0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x40000000, 0x40490fdb, 0xc0490fdb, 0x3f000000,
    0xbf000000, 0x3fc00000, 0x40200000, 0xc0200000, 0x3eaaaaab, 0x4b000000, 0x4b800000, 0x4b800001,
    0xcb800001, 0x4f000000, 0xcf000000, 0x4effffff, 0x4f800000, 0x5f000000, 0xdf000000, 0x5f800000,
    0x43800000, 0x42ff0000, 0xc3008000, 0x477fe000, 0x477fefff, 0x477ff000, 0x477fff00, 0x33800000,
    0x33800001, 0x38800000, 0x387fe000, 0x43e00000, 0x43e80000, 0x47600000, 0x3c000000, 0x3b800000,
    0x7f7fffff, 0xff7fffff, 0x7f7f8000, 0x7e800000, 0x01000000, 0x7f800000, 0xff800000, 0x7fc00000,
    0xffc00000, 0x7f800001, 0xff812345, 0x7fffffff, 0x3f9d70a4, 0xc2c80000, 0x0da24260};
__device__ const Bits doubles[] = {
    0,
    0x8000000000000000,
    0x0000000000000001,
    0x800fffffffffffff,
    0x0010000000000000,
    0x3ff0000000000000,
    0xbff0000000000000,
    0x3ff0000000000001,
    0x3fefffffffffffff,
    0x4000000000000000,
    0x400921fb54442d18,
    0x3fe0000000000000,
    0xbff8000000000000,
    0x4004000000000000,
    0x3fd5555555555555,
    0x4330000000000000,
    0x4340000000000001,
    0x41dfffffffc00000,
    0x41e0000000000000,
    0xc1e0000000200000,
    0x41f0000000000000,
    0x43e0000000000000,
    0xc3e0000000000000,
    0x43f0000000000000,
    0x406fe00000000000,
    0xc060100000000000,
    0x40effc0000000000,
    0x40effe0000000000,
    0x47efffffe0000000,
    0x47efffffefffffff,
    0x47effffff0000000,
    0x3690000000000000,
    0x36a0000000000001,
    0x380fffffc0000000,
    0x3e70000000000001,
    0x7fefffffffffffff,
    0xffefffffffffffff,
    0x7ff0000000000000,
    0xfff0000000000000,
    0x7ff8000000000000,
    0xfff8000000000000,
    0x7ff0000000000001,
    0xfff123456789abcd,
    0x3ff3ae147ae147ae,
};

__device__ inline uint32_t mix(uint32_t x) {
  x = (x ^ x >> 16) * 0x7feb352d;
  x = (x ^ x >> 15) * 0x846ca68b;
  return x ^ x >> 16;
}

__device__ inline int run_index() {
  return blockIdx.x * threads + threadIdx.x;
}

// The value of operand `k` of this thread's run.
__device__ inline void pick(uint32_t& x, int k) {
  const uint32_t m = mix(run_index() * 8 + k);
  x = m % 8 == 0 ? mix(m) : words[(m >> 3) % (sizeof words / sizeof *words)];
}
__device__ inline void pick(unsigned short& x, int k) {
  uint32_t word;
  pick(word, k);
  x = static_cast<unsigned short>(run_index() & 1 << (k & 1) ? word >> 16 : word);
}
__device__ inline void pick(Bits& x, int k) {
  uint32_t low, high;
  pick(low, k);
  pick(high, k + 1000);
  const uint32_t way = mix(run_index() * 8 + k + 2000) % 4;
  x = way == 0 ? low : way == 1 ? static_cast<Bits>(static_cast<int>(low)) : Bits{high} << 32 | low;
}
__device__ inline void pick(float& x, int k) {
  const uint32_t m = mix(run_index() * 8 + k + 3000);
  const uint32_t bits = m % 8 == 0 ? mix(m) : floats[(m >> 3) % (sizeof floats / sizeof *floats)];
  memcpy(&x, &bits, sizeof x);
}
__device__ inline void pick(double& x, int k) {
  const uint32_t m = mix(run_index() * 8 + k + 4000);
  const Bits bits =
      m % 8 == 0 ? Bits{mix(m)} << 32 | m : doubles[(m >> 3) % (sizeof doubles / sizeof *doubles)];
  memcpy(&x, &bits, sizeof x);
}

template <class T>
__device__ void put(Bits* out, int k, T x) {
  Bits bits = 0;
  memcpy(&bits, &x, sizeof x);
  out[run_index() * most_words + k] = bits;
}

struct Form {
  const char* text;
  void (*kernel)(Bits*);
  int words;
};

// One line a form: a hash of all results, and its text. With a name, all results are written there, too.
inline int run_forms(const Form* forms, int count, const char* name) {
  Bits* out;
  std::FILE* file = name ? std::fopen(name, "wb") : nullptr;
  cudaMallocManaged(&out, sizeof(Bits) * runs * most_words);
  for (int i = 0; i < count; ++i) {
    std::memset(out, 0, sizeof(Bits) * runs * most_words);
    forms[i].kernel<<<runs / threads, threads>>>(out);
    if (const cudaError_t error = cudaDeviceSynchronize()) {
      std::printf("%s %s\n", cudaGetErrorName(error), forms[i].text);
      return 1;
    }
    uint32_t hash = 2166136261u;
    for (int run = 0; run < runs; ++run) {
      for (int k = 0; k < forms[i].words; ++k) {
        const Bits bits = out[run * most_words + k];
        for (int byte = 0; byte < 8; ++byte) hash = (hash ^ (bits >> 8 * byte & 255)) * 16777619u;
        if (file) std::fwrite(&bits, sizeof bits, 1, file);
      }
    }
    std::printf("%08x %s\n", hash, forms[i].text);
  }
  if (file) std::fclose(file);
  cudaFree(out);
  return 0;
}
