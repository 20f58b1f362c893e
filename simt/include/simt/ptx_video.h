#pragma once

// PTX's video instructions: on bytes, halves and words of registers, one at a time or two or four
// at once. A GPU of today has few of them, and what an H200 computes is not always what the manual says: it is done as
// there (tests/ptx/results.txt).

#include <simt/ptx_integer.h>

#include <limits>

namespace simt::ptx {

enum class Video { add, sub, absdiff, min, max, avrg, shl, shr, eq, ne, lt, le, gt, ge };
enum class Second { none, add, min, max };  // what is done with c and the result

// Bits [at, at + width) of a register.
struct Part {
  unsigned at, width;
};
inline constexpr Part whole_register{0, 32};

inline long long part_of(unsigned word, Part part, bool is_signed) {
  const unsigned bits = word << (32 - part.at - part.width);
  return is_signed ? static_cast<int>(bits) >> (32 - part.width)
                   : static_cast<long long>(bits >> (32 - part.width));
}
inline __int128 hold_bits(__int128 x, unsigned width, bool is_signed) {
  const __int128 last = (__int128{1} << (is_signed ? width - 1 : width)) - 1;
  const __int128 first = is_signed ? -last - 1 : 0;
  return x > last ? last : x < first ? first : x;
}

inline __int128 video_operation(Video op, long long a, long long b) {
  const __int128 x = a, y = b;
  switch (op) {
    case Video::add:
      return x + y;
    case Video::sub:
      return x - y;
    case Video::absdiff:
      return x < y ? y - x : x - y;
    case Video::min:
      return x < y ? x : y;
    case Video::max:
      return x < y ? y : x;
    case Video::avrg:
      return x + y >= 0 ? (x + y + 1) >> 1 : (x + y) >> 1;
    case Video::shl:
      return x * (__int128{1} << y);
    case Video::shr:
      return x >> y;
    case Video::eq:
      return x == y;
    case Video::ne:
      return x != y;
    case Video::lt:
      return x < y;
    case Video::le:
      return x <= y;
    case Video::gt:
      return x > y;
    case Video::ge:
      return x >= y;
  }
  return 0;
}

// A word that is unsigned has a lower bound only: sums wrap at its upper end.
inline __int128 hold_result(__int128 x, unsigned width, bool is_signed) {
  return width == 32 && !is_signed && x > 0 ? x : hold_bits(x, width, is_signed);
}

struct VideoForm {
  Video op;
  bool d_signed, a_signed, b_signed, saturates;
  Second second;
};

// One operation; `to` is the part of c that the result replaces.
inline unsigned video(const VideoForm& form, Part to, Part from_a, Part from_b, bool wraps,
                      unsigned a, unsigned b, unsigned c) {
  long long y = part_of(b, from_b, form.b_signed);
  if (form.op == Video::shl || form.op == Video::shr) y = wraps ? y & 31 : y > 32 ? 32 : y;
  __int128 number = video_operation(form.op, part_of(a, from_a, form.a_signed), y);
  const bool shifts = form.op == Video::shl;
  if (form.saturates)
    number = shifts ? hold_bits(number, to.width, form.d_signed)
                    : hold_result(number, to.width, form.d_signed);
  const auto bits = static_cast<unsigned>(number);
  const auto choose = [&](bool first_is_chosen) { return first_is_chosen ? bits : c; };
  const bool less = form.d_signed ? static_cast<int>(bits) < static_cast<int>(c) : bits < c;
  switch (form.second) {
    case Second::add:
      return bits + c;
    case Second::min:
      return choose(less);
    case Second::max:
      return choose(!less);
    case Second::none:
      break;
  }
  if (to.width == 32) return bits;
  const unsigned ones = ((1u << to.width) - 1) << to.at;
  return (c & ~ones) | (bits << to.at & ones);
}

// N operations at once. Four bits of a selector name the element of b:a that a lane takes.
template <unsigned N>
unsigned video_lanes(const VideoForm& form, unsigned mask, unsigned select_a, unsigned select_b,
                     unsigned a, unsigned b, unsigned c) {
  constexpr unsigned width = 32 / N;
  const auto element = [&](unsigned selector, unsigned lane, bool is_signed) {
    const unsigned which = selector >> 4 * lane & 0xFu;
    return part_of(which < N ? a : b, {which % N * width, width}, is_signed);
  };
  const bool sums = form.second == Second::add;
  unsigned result = c;
  for (unsigned lane = 0; lane < N; ++lane) {
    if ((mask >> lane & 1u) == 0) continue;
    __int128 number = video_operation(form.op, element(select_a, lane, form.a_signed),
                                      element(select_b, lane, form.b_signed));
    if (form.saturates) number = hold_bits(number, width, form.d_signed);
    const auto bits = static_cast<unsigned>(number);
    if (sums) {
      result += bits;
    } else {
      const unsigned ones = ((1u << width) - 1) << lane * width;
      result = (result & ~ones) | (bits << lane * width & ones);
    }
  }
  return result;
}

// vmad: a product or its negative, plus c or minus it, plus one, scaled.
struct VideoProduct {
  bool a_signed, b_signed, negative_product, negative_c, plus_one, saturates;
  unsigned shift;
};
inline unsigned video_mad(const VideoProduct& form, Part from_a, Part from_b, unsigned a,
                          unsigned b, unsigned c) {
  const bool is_signed = form.a_signed || form.b_signed || form.negative_product || form.negative_c;
  // A whole register is taken for a signed number, whatever its type.
  const long long x = part_of(a, from_a, form.a_signed || from_a.width == 32);
  const long long y = part_of(b, from_b, form.b_signed || from_b.width == 32);
  const long long added = form.negative_c ? static_cast<long long>(static_cast<int>(~c)) + 1
                                          : static_cast<long long>(static_cast<int>(c));
  long long sum = (form.negative_product ? -(x * y) : x * y) + added + (form.plus_one ? 1 : 0);
  __int128 shifted = sum >> form.shift;
  if (form.saturates) {
    // What is unsigned is shifted as such.
    if (!is_signed && form.shift != 0) shifted = static_cast<unsigned long long>(sum) >> form.shift;
    shifted = hold_bits(shifted, 32, is_signed);
  }
  return static_cast<unsigned>(shifted);
}

}  // namespace simt::ptx
