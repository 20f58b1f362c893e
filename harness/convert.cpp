#include "harness/convert.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core/host/error.h"

namespace warpath::harness {
namespace {

// A 16-bit float of E exponent and M fraction bits.
template <int E, int M>
struct Small {
  static constexpr int bias = (1 << (E - 1)) - 1;
  static constexpr std::uint64_t inf = ((std::uint64_t{1} << E) - 1) << M;

  static std::uint16_t encode(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const auto sign = static_cast<std::uint64_t>(bits >> 63) << (E + M);
    const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63);
    if (magnitude > 0x7FF0000000000000u)
      return static_cast<std::uint16_t>(sign | inf | (1u << (M - 1)));
    if (magnitude == 0x7FF0000000000000u) return static_cast<std::uint16_t>(sign | inf);
    const int exponent = static_cast<int>(magnitude >> 52) - 1023;
    if (exponent < -bias - M)
      return static_cast<std::uint16_t>(sign);  // less than half the smallest
    if (exponent > bias) return static_cast<std::uint16_t>(sign | inf);
    const std::uint64_t fraction = (magnitude & 0xFFFFFFFFFFFFFu) | (std::uint64_t{1} << 52);
    // Below the normal range the leading one becomes part of the fraction.
    const bool subnormal = exponent < 1 - bias;
    const int shift = 52 - M + (subnormal ? 1 - bias - exponent : 0);
    const std::uint64_t kept = fraction >> shift;
    const std::uint64_t rest = fraction & ((std::uint64_t{1} << shift) - 1);
    const std::uint64_t half = std::uint64_t{1} << (shift - 1);
    const std::uint64_t up = rest > half || (rest == half && (kept & 1)) ? 1 : 0;
    // A carry out of the fraction goes into the exponent by itself, up to infinity.
    const std::uint64_t base =
        subnormal ? 0 : (static_cast<std::uint64_t>(exponent + bias - 1) << M);
    return static_cast<std::uint16_t>(sign | (base + kept + up));
  }

  static double decode(std::uint16_t h) {
    const bool negative = (h >> (E + M)) & 1;
    const int exponent = (h >> M) & ((1 << E) - 1);
    const int fraction = h & ((1 << M) - 1);
    double x;
    if (exponent == (1 << E) - 1)
      x = fraction ? std::numeric_limits<double>::quiet_NaN()
                   : std::numeric_limits<double>::infinity();
    else if (exponent == 0)
      x = std::ldexp(static_cast<double>(fraction), 1 - bias - M);
    else
      x = std::bit_cast<double>((static_cast<std::uint64_t>(exponent - bias + 1023) << 52) |
                                (static_cast<std::uint64_t>(fraction) << (52 - M)));
    return negative ? -x : x;
  }
};

using F16 = Small<5, 10>;
using BF16 = Small<8, 7>;

// All values of f16: a look-up is several times faster than decoding the bits.
const float* f16_values() {
  static const std::vector<float> values = [] {
    std::vector<float> v(65536);
    for (unsigned i = 0; i < v.size(); ++i)
      v[i] = static_cast<float>(F16::decode(static_cast<std::uint16_t>(i)));
    return v;
  }();
  return values.data();
}

template <class T>
T saturate(double x) {
  if (std::isnan(x)) return 0;
  const double r = std::nearbyint(x);
  // The upper limit of i64 is not a double; the next integer is.
  if (r >= std::ldexp(1.0, std::numeric_limits<T>::digits)) return std::numeric_limits<T>::max();
  if (r <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  return static_cast<T>(r);
}

// f(T{}) for the integer type that holds an element; a boolean is a byte.
template <class F>
auto with_integer(DType dtype, F f) {
  switch (dtype) {
    case DType::i64:
      return f(std::int64_t{});
    case DType::i32:
      return f(std::int32_t{});
    case DType::i16:
      return f(std::int16_t{});
    case DType::i8:
      return f(std::int8_t{});
    case DType::u64:
      return f(std::uint64_t{});
    case DType::u32:
      return f(std::uint32_t{});
    case DType::u16:
      return f(std::uint16_t{});
    default:
      return f(std::uint8_t{});
  }
}

template <class T, class From, class F>
void each(const From* from, void* to, std::int64_t n, F f) {
  T* out = static_cast<T*>(to);
  for (std::int64_t i = 0; i < n; ++i) out[i] = f(from[i]);
}

template <class T, class To, class F>
void each_back(const void* from, To* to, std::int64_t n, F f) {
  const T* in = static_cast<const T*>(from);
  for (std::int64_t i = 0; i < n; ++i) to[i] = f(in[i]);
}

}  // namespace

void encode(const double* from, DType dtype, void* to, std::int64_t n) {
  switch (dtype) {
    case DType::f64:
      return each<double>(from, to, n, [](double x) { return x; });
    case DType::f32:
      return each<float>(from, to, n, [](double x) { return static_cast<float>(x); });
    case DType::f16:
      return each<std::uint16_t>(from, to, n, F16::encode);
    case DType::bf16:
      return each<std::uint16_t>(from, to, n, BF16::encode);
    case DType::boolean:
      return each<std::uint8_t>(from, to, n,
                                [](double x) { return static_cast<std::uint8_t>(x != 0); });
    default:
      return with_integer(dtype, [&]<class T>(T) { each<T>(from, to, n, saturate<T>); });
  }
}

void decode(const void* from, DType dtype, double* to, std::int64_t n) {
  const auto plain = [](auto x) { return static_cast<double>(x); };
  switch (dtype) {
    case DType::f64:
      return each_back<double>(from, to, n, plain);
    case DType::f32:
      return each_back<float>(from, to, n, plain);
    case DType::f16:
      return each_back<std::uint16_t>(
          from, to, n, [v = f16_values()](std::uint16_t h) { return static_cast<double>(v[h]); });
    case DType::bf16:
      return each_back<std::uint16_t>(from, to, n, [](std::uint16_t h) {
        return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(h) << 16));
      });
    default:
      return with_integer(dtype, [&]<class T>(T) { each_back<T>(from, to, n, plain); });
  }
}

void encode_index(const std::int64_t* from, DType dtype, void* to, std::int64_t n) {
  switch (dtype) {
    case DType::i64:
      return each<std::int64_t>(from, to, n, [](std::int64_t x) { return x; });
    case DType::i32:
      return each<std::int32_t>(from, to, n,
                                [](std::int64_t x) { return static_cast<std::int32_t>(x); });
    case DType::u8:
    case DType::boolean:
      return each<std::uint8_t>(from, to, n,
                                [](std::int64_t x) { return static_cast<std::uint8_t>(x); });
    default:
      throw Error("an index tensor cannot be " + std::string(name(dtype)));
  }
}

void decode_index(const void* from, DType dtype, std::int64_t* to, std::int64_t n) {
  const auto plain = [](auto x) { return static_cast<std::int64_t>(x); };
  switch (dtype) {
    case DType::i64:
      return each_back<std::int64_t>(from, to, n, plain);
    case DType::i32:
      return each_back<std::int32_t>(from, to, n, plain);
    case DType::u8:
    case DType::boolean:
      return each_back<std::uint8_t>(from, to, n, plain);
    default:
      throw Error("an index tensor cannot be " + std::string(name(dtype)));
  }
}

double round_to(double x, DType dtype) {
  std::uint64_t room = 0;
  double back = 0;
  encode(&x, dtype, &room, 1);
  decode(&room, dtype, &back, 1);
  return back;
}

double largest(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return std::numeric_limits<double>::max();
    case DType::f32:
      return std::numeric_limits<float>::max();
    case DType::f16:
      return 65504;
    case DType::bf16:
      return std::ldexp(2 - std::ldexp(1, -7), 127);
    case DType::boolean:
      return 1;
    default:
      return with_integer(
          dtype, []<class T>(T) { return static_cast<double>(std::numeric_limits<T>::max()); });
  }
}

double smallest_normal(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return std::numeric_limits<double>::min();
    case DType::f32:
    case DType::bf16:
      return std::numeric_limits<float>::min();
    case DType::f16:
      return std::ldexp(1, -14);
    default:
      return 1;
  }
}

double smallest(DType dtype) {
  return is_float(dtype) ? std::ldexp(smallest_normal(dtype), -info(dtype).mantissa_bits) : 1;
}

UlpOf::UlpOf(DType dtype)
    : floor_(smallest_normal(dtype)),
      ceiling_(std::ldexp(1, std::ilogb(largest(dtype)))),
      step_(std::ldexp(1, -info(dtype).mantissa_bits)) {}

double ulp(double x, DType dtype) {
  return is_float(dtype) ? UlpOf(dtype)(x) : 1;
}

}  // namespace warpath::harness
