#include "models/floats.h"

#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/host/error.h"
#include "core/host/parallel.h"
#include "harness/buffer.h"
#include "harness/convert.h"

namespace warpath::models {
namespace {

// To the nearest, ties to even; a NaN stays one.
std::uint16_t to_bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if (std::isnan(x)) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// The bits of a half where a float has them, and the difference of the exponents' biases: that is right for subnormal numbers,
// too.
float from_f16(std::uint16_t x) {
  const std::uint32_t sign = std::uint32_t{x} >> 15 << 31, rest = (x & 0x7fffu) << 13;
  const bool finite = (x & 0x7c00) != 0x7c00;
  const auto size = finite ? std::bit_cast<std::uint32_t>(std::bit_cast<float>(rest) * 0x1p112f)
                           : rest | 0x7f800000u;
  return std::bit_cast<float>(sign | size);
}

constexpr std::int64_t grain = 1 << 20;

// A number is NaN or infinite where all bits of its exponent are set.
template <class Bits>
bool none_has_all(Bits exponent, const unsigned char* bytes, std::int64_t count) {
  std::atomic<bool> none = true;
  parallel_for(count, grain, [&](std::int64_t begin, std::int64_t end) {
    bool here = true;
    for (std::int64_t i = begin; i < end; ++i) {
      Bits x;
      std::memcpy(&x, bytes + i * std::int64_t(sizeof(x)), sizeof(x));
      here &= (x & exponent) != exponent;
    }
    if (!here) none = false;
  });
  return none;
}

}  // namespace

bool all_finite(DType dtype, const unsigned char* bytes, std::int64_t count) {
  switch (dtype) {
    case DType::f16:
      return none_has_all<std::uint16_t>(0x7c00, bytes, count);
    case DType::bf16:
      return none_has_all<std::uint16_t>(0x7f80, bytes, count);
    case DType::f32:
      return none_has_all<std::uint32_t>(0x7f800000, bytes, count);
    case DType::f64:
      return none_has_all<std::uint64_t>(0x7ff0000000000000, bytes, count);
    default:
      throw Error("all_finite: no float type");
  }
}

std::vector<unsigned char> encoded(DType dtype, const float* values, std::int64_t count) {
  std::vector<unsigned char> bytes(static_cast<std::size_t>(count) * size_of(dtype));
  if (dtype == DType::f32) {
    if (count > 0) std::memcpy(bytes.data(), values, bytes.size());
  } else if (dtype == DType::bf16) {
    parallel_for(count, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::uint16_t x = to_bf16(values[i]);
        std::memcpy(bytes.data() + 2 * i, &x, 2);
      }
    });
  } else {
    const std::vector<double> wide(values, values + count);
    harness::encode(wide.data(), dtype, bytes.data(), count);
  }
  return bytes;
}

std::vector<float> decoded(DType dtype, const unsigned char* bytes, std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  if (dtype == DType::f32) {
    if (count > 0) std::memcpy(values.data(), bytes, values.size() * sizeof(float));
  } else if (dtype == DType::bf16 || dtype == DType::f16) {
    parallel_for(count, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        std::uint16_t x = 0;
        std::memcpy(&x, bytes + 2 * i, 2);
        values[static_cast<std::size_t>(i)] =
            dtype == DType::bf16 ? std::bit_cast<float>(std::uint32_t{x} << 16) : from_f16(x);
      }
    });
  } else {
    std::vector<double> wide(values.size());
    harness::decode(bytes, dtype, wide.data(), count);
    values.assign(wide.begin(), wide.end());
  }
  return values;
}

void upload_floats(const harness::Device& device, const Tensor& t,
                   const std::vector<float>& values) {
  WARPATH_CHECK(static_cast<std::int64_t>(values.size()) == t.size(), "as many values as elements");
  const auto bytes = encoded(t.dtype, values.data(), t.size());
  harness::must(device.upload(t.data, bytes.data(), t.bytes()));
}

void upload_ints(const harness::Device& device, const Tensor& t,
                 const std::vector<std::int32_t>& values) {
  WARPATH_CHECK(static_cast<std::int64_t>(values.size()) == t.size(), "a batch of another size");
  harness::must(device.upload(t.data, values.data(), t.bytes()));
}

std::vector<float> download_floats(const harness::Device& device, const Tensor& t) {
  std::vector<unsigned char> bytes(static_cast<std::size_t>(t.bytes()));
  harness::must(device.download(bytes.data(), t.data, t.bytes()));
  return decoded(t.dtype, bytes.data(), t.size());
}

}  // namespace warpath::models
