// Boxes of tensors: which bytes of global memory go where in shared memory.

#include <simt/tensor_map.h>

#include <algorithm>
#include <cstring>

namespace simt {

std::size_t element_size(Element element) {
  switch (element) {
    case Element::u8:
    case Element::s8:
    case Element::e4m3:
    case Element::e5m2:
      return 1;
    case Element::u16:
    case Element::f16:
    case Element::bf16:
      return 2;
    case Element::u64:
    case Element::s64:
    case Element::f64:
      return 8;
    default:
      return 4;
  }
}

namespace {

// With steps of more than one element only every so-manieth is copied.
unsigned count_of(const TensorMap& map, int axis) {
  const unsigned step = axis == 0 ? 1 : map.element_strides[axis];
  return (map.box[axis] + step - 1) / step;
}

// Calls visit(place in the row, bytes, where they are in shared memory) for each chunk.
template <class Visit>
void for_each_chunk(const TensorMap& map, const BoxRow& row, const Visit& visit) {
  const auto start = reinterpret_cast<std::uintptr_t>(row.shared);
  const std::size_t size = row_bytes(map);
  for (std::size_t at = 0; at < size; at += 16) {
    visit(at, reinterpret_cast<char*>(swizzled(start + at, map.swizzle)));
  }
}

}  // namespace

std::size_t row_bytes(const TensorMap& map) {
  return map.box[0] * element_size(map.element);
}

std::size_t box_bytes(const TensorMap& map) {
  std::size_t bytes = row_bytes(map);
  for (int axis = 1; axis < map.rank; ++axis) bytes *= count_of(map, axis);
  return bytes;
}

std::size_t row_pitch(const TensorMap& map) {
  const std::size_t span = map.swizzle != 0 ? std::size_t{16} << map.swizzle : 0;
  return std::max(row_bytes(map), span);
}

void for_each_row(const TensorMap& map, const Coordinates& at, char* shared, RowVisit visit,
                  void* with) {
  unsigned counts[max_rank], index[max_rank] = {};
  for (int axis = 0; axis < max_rank; ++axis) {
    counts[axis] = axis > 0 && axis < map.rank ? count_of(map, axis) : 1;
  }
  const std::int64_t size = std::int64_t{map.last[0]} + 1;
  const std::int64_t begin = at.at[0], end = begin + map.box[0];
  const std::int64_t first = std::clamp<std::int64_t>(begin, 0, size);
  const std::int64_t stop = std::clamp<std::int64_t>(end, first, size);
  const std::size_t pitch = row_pitch(map);
  for (;;) {
    BoxRow row{shared, nullptr, 0, 0};
    bool inside = stop > first;
    std::int64_t offset = first * static_cast<std::int64_t>(element_size(map.element));
    for (int axis = 1; axis < map.rank; ++axis) {
      const std::int64_t place =
          at.at[axis] + std::int64_t{index[axis]} * map.element_strides[axis];
      inside = inside && place >= 0 && place <= std::int64_t{map.last[axis]};
      offset += place * static_cast<std::int64_t>(map.strides[axis - 1]);
    }
    if (inside) {
      row.global = map.address + offset;
      row.first = static_cast<std::size_t>(first - begin);
      row.end = static_cast<std::size_t>(stop - begin);
    }
    visit(map, row, with);
    shared += pitch;
    int axis = 1;
    while (axis < map.rank && ++index[axis] == counts[axis]) index[axis++] = 0;
    if (axis >= map.rank) return;
  }
}

void read_row(const TensorMap& map, const BoxRow& row, char* bytes) {
  for_each_chunk(map, row,
                 [&](std::size_t at, const char* chunk) { std::memcpy(bytes + at, chunk, 16); });
}

void write_row(const TensorMap& map, const BoxRow& row, const char* bytes) {
  for_each_chunk(map, row,
                 [&](std::size_t at, char* chunk) { std::memcpy(chunk, bytes + at, 16); });
}

void fill_outside(const TensorMap& map, char* bytes, std::size_t size) {
  if (map.nan_fill == 0) {
    std::memset(bytes, 0, size);
    return;
  }
  // Words of 16 bits, whatever the type: 0x7ff7 is a NaN in half and bfloat16, two or four of them
  // in float and double.
  for (std::size_t at = 0; at < size; at += 2) {
    bytes[at] = static_cast<char>(0xf7);
    bytes[at + 1] = 0x7f;
  }
}

void convert_loaded(const TensorMap& map, char* bytes, std::size_t size) {
  if (map.element != Element::tf32 && map.element != Element::tf32_ftz) return;
  for (std::size_t at = 0; at < size; at += 4) {
    std::uint32_t word;
    std::memcpy(&word, bytes + at, 4);
    if ((word & 0x7fffffffu) > 0x7f800000u) {
      word = 0x7fffe000u;
    } else {
      // 13 bits go; half of what they can hold, less one where the last bit that stays is zero.
      word += 0x0fffu + (word >> 13 & 1u);
      word &= 0xffffe000u;
    }
    std::memcpy(bytes + at, &word, 4);
  }
}

}  // namespace simt
