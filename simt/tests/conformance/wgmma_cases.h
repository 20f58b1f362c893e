// One wgmma at a time on random operands, laid out in shared memory in each of the ways a descriptor can say.
#pragma once
#include <cstdio>
#include <cstring>
#include <vector>

#include "wgmma_forms.h"

namespace cases {

enum Kind { f16, bf16, tf32, e4m3, e5m2, s8, u8 };
struct Format {
  int bytes, exponent_bits, fraction_bits, bias;
};
constexpr Format formats[] = {{2, 5, 10, 15}, {2, 8, 7, 127}, {4, 8, 23, 127}, {1, 4, 3, 7},
                              {1, 5, 2, 15},  {1, 0, 8, 0},   {1, 0, 8, 0}};

struct Random {
  unsigned state;
  unsigned next() {
    state = state * 1664525u + 1013904223u;
    return state >> 8 ^ state << 20;
  }
  int between(int low, int high) {
    return low + static_cast<int>((next() >> 4) % unsigned(high - low + 1));
  }
};

// 0: few bits, sums are exact; 1: numbers about one; 2: small and large; 3: any bits.
inline unsigned random_bits(Random& r, Kind kind, int mode) {
  const Format f = formats[kind];
  if (f.exponent_bits == 0) return r.next() & 255u;
  const unsigned any = r.next();
  if (mode == 3) return f.bytes == 4 ? any : any & ((1u << 8 * f.bytes) - 1);
  const int top = (1 << f.exponent_bits) - 2;
  const int low = mode == 0 ? f.bias : mode == 1 ? f.bias - 3 : f.bias - 10;
  const int high = mode == 0 ? f.bias + 1 : mode == 1 ? f.bias + 1 : f.bias + 6;
  int exponent = r.between(low, high);
  exponent = exponent < 1 ? 1 : exponent > top ? top : exponent;
  unsigned fraction = any & ((1u << f.fraction_bits) - 1);
  if (mode == 0 && f.fraction_bits > 2) fraction &= 3u << (f.fraction_bits - 2);
  return (any >> 31) << (f.exponent_bits + f.fraction_bits) |
         unsigned(exponent) << f.fraction_bits | fraction;
}

// Of finite numbers.
inline double value_of(unsigned bits, Kind kind) {
  const Format f = formats[kind];
  if (kind == s8) return static_cast<signed char>(bits);
  if (kind == u8) return bits & 255u;
  if (kind == tf32) bits &= 0xffffe000u;
  const int exponent = static_cast<int>(bits >> f.fraction_bits & ((1u << f.exponent_bits) - 1));
  double value = bits & ((1u << f.fraction_bits) - 1);
  for (int i = 0; i < f.fraction_bits; ++i) value /= 2;
  if (exponent != 0) value += 1;
  for (int e = exponent == 0 ? 1 : exponent; e < f.bias; ++e) value /= 2;
  for (int e = f.bias; e < exponent; ++e) value *= 2;
  return bits >> (f.exponent_bits + f.fraction_bits) & 1 ? -value : value;
}

// The layout of an operand of `rows` x 32 bytes: swizzle 0 to 3 for none, 32, 64, 128 bytes.
struct Layout {
  int swizzle;
  bool turned;
  int leading() const { return swizzle == 0 || !turned ? 128 : 16 * (16 << swizzle); }
  int stride() const { return swizzle == 0 ? 256 : 8 * (16 << swizzle); }
  int place(int row, int k, int bytes) const {
    const int span = 16 << swizzle;
    int at;
    if (!turned) {
      const int byte = k * bytes;
      at = row / 8 * stride() + row % 8 * span +
           (swizzle == 0 ? byte / 16 * leading() + byte % 16 : byte);
    } else if (swizzle == 0) {
      at = row / 8 * stride() + k / 8 * leading() + k % 8 * 16 + row % 8 * 2;
    } else {
      const int chunk = row / 8, chunks = 1 << swizzle;
      at = chunk % chunks * 16 + chunk / chunks * leading() + k % 8 * span + k / 8 * stride() +
           row % 8 * 2;
    }
    return at ^ (at >> 7 & (chunks_mask())) << 4;
  }
  int chunks_mask() const { return (1 << swizzle) - 1; }
  // All but the address.
  uint64_t descriptor() const {
    const uint64_t code = swizzle == 0 ? 0 : 4 - swizzle;
    return uint64_t(leading() >> 4) << 16 | uint64_t(stride() >> 4) << 32 | code << 62;
  }
};

constexpr int a_bytes = 8192, b_bytes = 32768;

struct Case {
  std::vector<unsigned char> a, b;  // as they lie in shared memory
  std::vector<uint32_t> d, a_registers;
  uint64_t a_descriptor, b_descriptor;
  std::vector<double> wanted, size;  // of finite numbers: the sum, and the sum of the sizes
};

struct Shape {
  Kind a, b;
  int n;
  bool half_sum, a_turned, b_turned;
  int sign = 1;
};

// The register of D that holds (row, column), and its half.
inline int sum_register(int row, int column, int registers, bool half_sum) {
  const int thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
  const int i = column / 8 * 4 + row % 16 / 8 * 2 + column % 2;
  return thread * registers + (half_sum ? i / 2 : i);
}

inline Case make_case(const Shape& s, int registers, int seed) {
  Random r{static_cast<unsigned>(seed) * 7919u + 17u};
  const int mode = seed % 4, bytes = formats[s.a].bytes, k = 32 / bytes;
  const Layout la{seed / 4 % 4, s.a_turned}, lb{(seed / 4 + 1) % 4, s.b_turned};
  Case c{std::vector<unsigned char>(a_bytes),
         std::vector<unsigned char>(b_bytes),
         std::vector<uint32_t>(128 * registers),
         std::vector<uint32_t>(512),
         la.descriptor(),
         lb.descriptor(),
         std::vector<double>(64 * s.n),
         std::vector<double>(64 * s.n)};
  std::vector<double> a(64 * k), b(s.n * k);
  for (int row = 0; row < 64; ++row) {
    for (int i = 0; i < k; ++i) {
      const unsigned bits = random_bits(r, s.a, mode);
      std::memcpy(&c.a[la.place(row, i, bytes)], &bits, bytes);
      a[row * k + i] = value_of(bits, s.a);
      const int per = 4 / bytes, thread = row / 16 * 32 + row % 8 * 4 + i / per % 4;
      const int word = thread * 4 + row % 16 / 8 + i / (4 * per) * 2;
      c.a_registers[word] |= bits << 8 * bytes * (i % per);
    }
  }
  for (int row = 0; row < s.n; ++row) {
    for (int i = 0; i < k; ++i) {
      const unsigned bits = random_bits(r, s.b, mode);
      std::memcpy(&c.b[lb.place(row, i, bytes)], &bits, bytes);
      b[row * k + i] = value_of(bits, s.b);
    }
  }
  for (int row = 0; row < 64; ++row) {
    for (int column = 0; column < s.n; ++column) {
      const int at = sum_register(row, column, registers, s.half_sum);
      double sum = 0;
      if (s.a >= s8) {
        const int whole = r.between(-1000, 1000);
        c.d[at] = static_cast<uint32_t>(whole);
        sum = whole;
      } else if (s.half_sum) {
        const unsigned bits = random_bits(r, f16, mode);
        c.d[at] |= bits << 16 * (column % 2);
        sum = value_of(bits, f16);
      } else {
        Random& any = r;
        // A float with a whole fraction about as large as the products.
        const unsigned bits =
            mode == 3 ? any.next() << 7 ^ any.next()
                      : (any.next() & 0x807fffffu) | unsigned(any.between(120, 131)) << 23;
        c.d[at] = bits;
        float value;
        std::memcpy(&value, &bits, 4);
        sum = value;
      }
      double size = sum < 0 ? -sum : sum;
      for (int i = 0; i < k; ++i) {
        const double product = a[row * k + i] * b[column * k + i];
        sum += s.sign * product;
        size += product < 0 ? -product : product;
      }
      c.wanted[row * s.n + column] = sum;
      c.size[row * s.n + column] = size;
    }
  }
  return c;
}

template <class Form, bool ARegisters>
__global__ void multiply(const uint4* a, const uint4* b, uint64_t a_descriptor,
                         uint64_t b_descriptor, const uint32_t* a_registers,
                         typename Form::Register* d) {
  extern __shared__ __align__(1024) unsigned char memory[];
  uint4* const tile = reinterpret_cast<uint4*>(memory);
  for (int i = threadIdx.x; i < a_bytes / 16; i += 128) tile[i] = a[i];
  for (int i = threadIdx.x; i < b_bytes / 16; i += 128) tile[a_bytes / 16 + i] = b[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const unsigned start = static_cast<unsigned>(__cvta_generic_to_shared(memory));
  const uint64_t at_a = a_descriptor | (start & 0x3ffffu) >> 4;
  const uint64_t at_b = b_descriptor | ((start + a_bytes) & 0x3ffffu) >> 4;
  typename Form::Register sums[Form::registers];
  for (int i = 0; i < Form::registers; ++i) sums[i] = d[threadIdx.x * Form::registers + i];
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  if constexpr (ARegisters) {
    uint32_t mine[4];
    for (int i = 0; i < 4; ++i) mine[i] = a_registers[threadIdx.x * 4 + i];
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    Form::run(sums, mine, at_b, 1);
  } else {
    Form::run(sums, at_a, at_b, 1);
  }
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int i = 0; i < Form::registers; ++i) d[threadIdx.x * Form::registers + i] = sums[i];
}

// Device memory for one case.
struct Room {
  unsigned char *a, *b;
  uint32_t *registers, *d;
  Room() {
    cudaMallocManaged(&a, a_bytes);
    cudaMallocManaged(&b, b_bytes);
    cudaMallocManaged(&registers, 512 * 4);
    cudaMallocManaged(&d, 128 * 128 * 4);
  }
};

// D after the product.
template <class Form, bool ARegisters>
const uint32_t* run(const Case& c) {
  static Room room;
  std::memcpy(room.a, c.a.data(), a_bytes);
  std::memcpy(room.b, c.b.data(), b_bytes);
  std::memcpy(room.registers, c.a_registers.data(), 512 * 4);
  std::memcpy(room.d, c.d.data(), c.d.size() * 4);
  const auto kernel = multiply<Form, ARegisters>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, a_bytes + b_bytes);
  kernel<<<1, 128, a_bytes + b_bytes>>>(
      reinterpret_cast<uint4*>(room.a), reinterpret_cast<uint4*>(room.b), c.a_descriptor,
      c.b_descriptor, room.registers, reinterpret_cast<typename Form::Register*>(room.d));
  if (const cudaError_t error = cudaDeviceSynchronize()) printf("%s\n", cudaGetErrorName(error));
  return room.d;
}

}  // namespace cases

// FORM(form, A in registers, shape) for every form.
#define FOR_EACH_WGMMA(FORM)                                              \
  FORM(f16_n8, false, {f16, f16, 8, false, false, false})                 \
  FORM(f16_n24, false, {f16, f16, 24, false, false, false})               \
  FORM(f16_n64, false, {f16, f16, 64, false, false, false})               \
  FORM(f16_n256, false, {f16, f16, 256, false, false, false})             \
  FORM(bf16_n16, false, {bf16, bf16, 16, false, false, false})            \
  FORM(bf16_n128, false, {bf16, bf16, 128, false, false, false})          \
  FORM(f16_sum_n16, false, {f16, f16, 16, true, false, false})            \
  FORM(f16_sum_n128, false, {f16, f16, 128, true, false, false})          \
  FORM(f16_minus_a, false, {f16, f16, 8, false, false, false, -1})        \
  FORM(f16_minus_both, false, {f16, f16, 8, false, false, false})         \
  FORM(f16_turned_a, false, {f16, f16, 64, false, true, false})           \
  FORM(f16_turned_b, false, {f16, f16, 64, false, false, true})           \
  FORM(bf16_turned_both, false, {bf16, bf16, 64, false, true, true})      \
  FORM(tf32_n8, false, {tf32, tf32, 8, false, false, false})              \
  FORM(tf32_n64, false, {tf32, tf32, 64, false, false, false})            \
  FORM(e4m3_e4m3_n24, false, {e4m3, e4m3, 24, false, false, false})       \
  FORM(e4m3_e5m2_n24, false, {e4m3, e5m2, 24, false, false, false})       \
  FORM(e5m2_e4m3_n24, false, {e5m2, e4m3, 24, false, false, false})       \
  FORM(e5m2_e5m2_n24, false, {e5m2, e5m2, 24, false, false, false})       \
  FORM(e4m3_sum_n16, false, {e4m3, e4m3, 16, true, false, false})         \
  FORM(s8_s8_n24, false, {s8, s8, 24, false, false, false})               \
  FORM(s8_u8_n24, false, {s8, u8, 24, false, false, false})               \
  FORM(u8_s8_n24, false, {u8, s8, 24, false, false, false})               \
  FORM(u8_u8_n24, false, {u8, u8, 24, false, false, false})               \
  FORM(f16_registers, true, {f16, f16, 24, false, false, false})          \
  FORM(bf16_registers_turned, true, {bf16, bf16, 64, false, false, true}) \
  FORM(tf32_registers, true, {tf32, tf32, 24, false, false, false})       \
  FORM(e4m3_registers, true, {e4m3, e5m2, 24, false, false, false})       \
  FORM(s8_registers, true, {s8, u8, 24, false, false, false})
