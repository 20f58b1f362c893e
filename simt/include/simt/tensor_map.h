#pragma once

// Tensor maps: what a CUtensorMap holds here, and the boxes that copies take out of the tensor it
// describes.

#include <cstddef>
#include <cstdint>

namespace simt {

enum class Element : unsigned char {
  u8,
  u16,
  u32,
  s32,
  u64,
  s64,
  f16,
  f32,
  f64,
  bf16,
  f32_ftz,
  tf32,
  tf32_ftz,
  s8,
  e4m3,
  e5m2
};
// What a store does with what is there already.
enum class Reduction : unsigned char { none, add, min, max, bit_and, bit_or, bit_xor, inc, dec };
struct Reduced {
  Reduction by;
  Element element;
};

inline constexpr int max_rank = 5;
inline constexpr std::uint32_t map_magic = 0x70616d74;

// Lies in the 128 bytes of a CUtensorMap. The first axis is the contiguous one.
struct TensorMap {
  std::uint32_t magic;
  Element element;
  std::uint8_t rank;
  std::uint8_t swizzle;   // 0, or 1, 2, 3 for spans of 32, 64, 128 bytes
  std::uint8_t nan_fill;  // what lies outside is NaN, not zero
  char* address;
  std::uint64_t strides[max_rank - 1];  // bytes, of the axes after the first
  std::uint32_t last[max_rank];         // sizes less one: they go up to 2^32
  std::uint16_t box[max_rank];
  std::uint8_t element_strides[max_rank];
};
static_assert(sizeof(TensorMap) <= 128);

struct Coordinates {
  int count;
  int at[max_rank];
};

enum class MapField : unsigned char {
  global_address,
  rank,
  box_dim,
  global_dim,
  global_stride,
  element_stride,
  elemtype,
  interleave_layout,
  swizzle_mode,
  fill_mode
};

std::size_t element_size(Element element);
std::size_t row_bytes(const TensorMap& map);
std::size_t box_bytes(const TensorMap& map);
// From one row of a box to the next in shared memory. With a swizzle each row takes a whole span of
// it, also where its own bytes are fewer: those behind them are left as they are.
std::size_t row_pitch(const TensorMap& map);
// The address at which 16 bytes lie that would be at `address` without the swizzle: each span's
// chunks are exchanged by the number of their 128-byte line.
inline std::uintptr_t swizzled(std::uintptr_t address, unsigned swizzle) {
  const std::uintptr_t chunks = (std::uintptr_t{1} << swizzle) - 1;
  return address ^ (address >> 7 & chunks) << 4;
}

// One row of a box: so many elements, of which [first, end) lie in the tensor, from `global` on.
struct BoxRow {
  char* shared;  // before the swizzle
  char* global;  // of element `first`; null when the row is empty
  std::size_t first, end;
};
using RowVisit = void (*)(const TensorMap& map, const BoxRow& row, void* with);
void for_each_row(const TensorMap& map, const Coordinates& at, char* shared, RowVisit visit,
                  void* with);

// Copies between a row in shared memory and plain bytes.
void read_row(const TensorMap& map, const BoxRow& row, char* bytes);
void write_row(const TensorMap& map, const BoxRow& row, const char* bytes);
// Calls visit(address, bytes) for the parts of shared memory that a box at `shared` takes: one, or
// the chunks of rows that are narrower than their swizzle.
template <class Visit>
void for_each_part(const TensorMap& map, char* shared, const Visit& visit) {
  const std::size_t row = row_bytes(map), pitch = row_pitch(map), all = box_bytes(map);
  if (row == pitch) return visit(shared, all);
  for (std::size_t line = 0; line < all / row; ++line) {
    for (std::size_t at = 0; at < row; at += 16) {
      const auto plain = reinterpret_cast<std::uintptr_t>(shared) + line * pitch + at;
      visit(reinterpret_cast<char*>(swizzled(plain, map.swizzle)), std::size_t{16});
    }
  }
}
// Elements outside of the tensor, as bytes.
void fill_outside(const TensorMap& map, char* bytes, std::size_t size);
// What a load makes of elements inside: tf32 is rounded, to the nearest and ties to even, and any
// NaN becomes 0x7fffe000. The types that speak of flushing keep numbers too small to be normal, as
// a Hopper's loads do.
void convert_loaded(const TensorMap& map, char* bytes, std::size_t size);

// to[i] = to[i] by from[i], each in one step that no other thread sees half of.
void reduce_elements(void* to, const void* from, std::size_t bytes, Reduced how);

}  // namespace simt
