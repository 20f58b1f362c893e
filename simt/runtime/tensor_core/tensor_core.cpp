#include "tensor_core/tensor_core.h"

#include <simt/small_float.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>

// The library is built for any CPU of its kind; these loops for those with wide vectors too.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define SIMT_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), optimize("O3")))
#else
#define SIMT_CLONES
#endif

namespace simt {
namespace {

constexpr unsigned rows = 16;

SIMT_CLONES void quick(float* __restrict d, const float* __restrict a, const float* __restrict b,
                       unsigned n, unsigned k) {
  for (unsigned m = 0; m < rows; ++m) {
    float* const row = d + m * n;
    for (unsigned i = 0; i < k; ++i) {
      const float left = a[m * k + i];
      const float* const right = b + i * n;
      for (unsigned j = 0; j < n; ++j) row[j] += left * right[j];
    }
  }
}

SIMT_CLONES void whole(std::int32_t* __restrict d, const std::int32_t* __restrict a,
                       const std::int32_t* __restrict b, unsigned n, unsigned k) {
  for (unsigned m = 0; m < rows; ++m) {
    std::uint32_t* const row = reinterpret_cast<std::uint32_t*>(d) + m * n;
    for (unsigned i = 0; i < k; ++i) {
      const auto left = static_cast<std::uint32_t>(a[m * k + i]);
      const std::int32_t* const right = b + i * n;
      for (unsigned j = 0; j < n; ++j) row[j] += left * static_cast<std::uint32_t>(right[j]);
    }
  }
}

// Subnormal numbers come out right because the product is exact.
SIMT_CLONES void widen_f16(float* __restrict to, const unsigned short* __restrict from,
                           unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    const std::uint32_t half = from[i];
    const float scaled = __builtin_bit_cast(float, (half & 0x7fffu) << 13) * 0x1p112f;
    std::uint32_t bits = __builtin_bit_cast(std::uint32_t, scaled);
    bits = scaled >= 65536.0f ? (half & 0x3ffu) << 13 | 0x7f800000u : bits;
    to[i] = __builtin_bit_cast(float, bits | (half & 0x8000u) << 16);
  }
}

// Bits that sums keep below the largest exponent.
int kept_bits(Element element) {
  return element == Element::e4m3 || element == Element::e5m2 ? 13 : 25;
}

int exponent_of(float x, Element element) {
  const int smallest = element == Element::f16    ? -14
                       : element == Element::e5m2 ? -14
                       : element == Element::e4m3 ? -6
                                                  : -126;
  return std::max(std::ilogb(x), smallest);
}

// Towards zero; what a float cannot hold becomes infinity all the same.
float cut_off(double x) {
  if (std::fabs(x) >= 0x1p128)
    return std::copysign(std::numeric_limits<float>::infinity(), static_cast<float>(x));
  float near = static_cast<float>(x);
  if (std::fabs(static_cast<double>(near)) > std::fabs(x)) near = std::nextafter(near, 0.0f);
  return near;
}

// The lowest bit says whether something was cut off: so a second rounding is as good as one.
float cut_off_with_trace(double x) {
  const float cut = cut_off(x);
  if (static_cast<double>(cut) == x || !std::isfinite(cut)) return cut;
  return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, cut) | 1u);
}

// Sums of bytes come out of wgmma with 13 bits of fraction.
float of_bytes(float x) {
  return std::isfinite(x)
             ? __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, x) & ~0x3ffu)
             : x;
}

float exact_sum(float sum, const float* a, const float* b, unsigned stride, unsigned k,
                Element element, bool half_sum) {
  int largest = std::numeric_limits<int>::min();
  double special = 0;
  bool finite = std::isfinite(sum);
  if (!finite) special += sum;
  if (finite && sum != 0) largest = std::max(std::ilogb(sum), -126);
  for (unsigned i = 0; i < k; ++i) {
    const float x = a[i], y = b[i * stride];
    if (!std::isfinite(x) || !std::isfinite(y)) {
      finite = false;
      special += static_cast<double>(x) * y;
    } else if (x != 0 && y != 0) {
      largest = std::max(largest, exponent_of(x, element) + exponent_of(y, element));
    }
  }
  if (!finite) {
    return std::isnan(special) ? __builtin_bit_cast(float, 0x7fffffffu)
                               : static_cast<float>(special);
  }
  if (largest == std::numeric_limits<int>::min()) return sum;
  const int shift = kept_bits(element) - largest;
  const auto aligned = [&](double x) { return static_cast<std::int64_t>(std::ldexp(x, shift)); };
  std::int64_t total = aligned(sum);
  for (unsigned i = 0; i < k; ++i) total += aligned(static_cast<double>(a[i]) * b[i * stride]);
  const double result = std::ldexp(static_cast<double>(total), -shift);
  if (half_sum) return half_to_float(float_to_half(cut_off_with_trace(result)));
  return kept_bits(element) < 23 ? of_bytes(cut_off(result)) : cut_off(result);
}

}  // namespace

void multiply_quick(float* d, const float* a, const float* b, unsigned n, unsigned k) {
  quick(d, a, b, n, k);
}

void multiply_whole(std::int32_t* d, const std::int32_t* a, const std::int32_t* b, unsigned n,
                    unsigned k, bool saturates) {
  if (!saturates) return whole(d, a, b, n, k);
  for (unsigned m = 0; m < rows; ++m) {
    for (unsigned j = 0; j < n; ++j) {
      std::int64_t sum = d[m * n + j];
      for (unsigned i = 0; i < k; ++i) sum += std::int64_t{a[m * k + i]} * b[i * n + j];
      using Limits = std::numeric_limits<std::int32_t>;
      d[m * n + j] =
          static_cast<std::int32_t>(std::clamp<std::int64_t>(sum, Limits::min(), Limits::max()));
    }
  }
}

void multiply_exact(float* d, const float* a, const float* b, unsigned n, unsigned k,
                    Element element, bool half_sum) {
  for (unsigned m = 0; m < rows; ++m) {
    for (unsigned j = 0; j < n; ++j) {
      d[m * n + j] = exact_sum(d[m * n + j], a + m * k, b + j, n, k, element, half_sum);
    }
  }
}

bool tensor_cores_are_exact() {
  static const bool exact = [] {
    const char* const wanted = std::getenv("SIMT_TENSOR_CORES");
    return wanted != nullptr && std::string_view(wanted) == "exact";
  }();
  return exact;
}

void widen_halves(float* to, const unsigned short* from, unsigned count, Element element) {
  if (element == Element::f16) return widen_f16(to, from, count);
  for (unsigned i = 0; i < count; ++i) to[i] = bfloat16_to_float(from[i]);
}

// e5m2 is the upper half of a half.
void widen_bytes(float* to, const unsigned char* from, unsigned count, Element element) {
  for (unsigned i = 0; i < count; ++i) {
    to[i] = element == Element::e5m2 ? half_to_float(static_cast<unsigned short>(from[i] << 8))
                                     : e4m3_to_float(from[i]);
  }
}

}  // namespace simt
