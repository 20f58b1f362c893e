// The element types a tensor may have, on the host and in kernels.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace warpath {

enum class DType : std::uint8_t {
  f64,
  f32,
  f16,
  bf16,
  i64,
  i32,
  i16,
  i8,
  u64,
  u32,
  u16,
  u8,
  boolean
};

struct DTypeInfo {
  DType dtype;
  std::string_view name;
  int bytes;
  int mantissa_bits;  // explicit bits of the fraction; 0: an integer type, exact
};

inline constexpr std::array<DTypeInfo, 13> dtype_table{{
    {DType::f64, "f64", 8, 52},
    {DType::f32, "f32", 4, 23},
    {DType::f16, "f16", 2, 10},
    {DType::bf16, "bf16", 2, 7},
    {DType::i64, "i64", 8, 0},
    {DType::i32, "i32", 4, 0},
    {DType::i16, "i16", 2, 0},
    {DType::i8, "i8", 1, 0},
    {DType::u64, "u64", 8, 0},
    {DType::u32, "u32", 4, 0},
    {DType::u16, "u16", 2, 0},
    {DType::u8, "u8", 1, 0},
    {DType::boolean, "bool", 1, 0},
}};

constexpr const DTypeInfo& info(DType d) {
  return dtype_table[static_cast<std::size_t>(d)];
}
constexpr std::string_view name(DType d) {
  return info(d).name;
}
constexpr std::size_t size_of(DType d) {
  return static_cast<std::size_t>(info(d).bytes);
}
constexpr bool is_float(DType d) {
  return info(d).mantissa_bits > 0;
}
constexpr bool is_signed(DType d) {
  return d < DType::u64;
}

constexpr std::optional<DType> parse_dtype(std::string_view text) {
  for (const DTypeInfo& i : dtype_table)
    if (i.name == text) return i.dtype;
  return std::nullopt;
}

}  // namespace warpath
