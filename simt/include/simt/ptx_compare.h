#pragma once

// PTX's comparisons: setp, set, vset. Those of floats are false where one is NaN, unless they end
// in 'u'.

#include <simt/ptx_convert.h>

#include <cmath>

namespace simt::ptx {

enum class Compare { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };

template <Compare How, unsigned F, class T>
bool compare(T a, T b) {
  if constexpr (is_small_float<T>) {
    const auto number = [](T x) {
      const double value = x.value();
      return (F & flag_ftz) != 0 && std::fabs(value) < 0x1p-14 ? 0.0 : value;
    };
    return compare<How, 0>(number(a), number(b));
  } else {
    if constexpr (std::is_floating_point_v<T>) {
      a = operand<F>(a);
      b = operand<F>(b);
    }
    const bool unordered = a != a || b != b;
    switch (How) {
      case Compare::eq:
        return a == b;
      case Compare::ne:
        return !unordered && a != b;
      case Compare::lt:
        return a < b;
      case Compare::le:
        return a <= b;
      case Compare::gt:
        return a > b;
      case Compare::ge:
        return a >= b;
      case Compare::equ:
        return unordered || a == b;
      case Compare::neu:
        return unordered || a != b;
      case Compare::ltu:
        return unordered || a < b;
      case Compare::leu:
        return unordered || a <= b;
      case Compare::gtu:
        return unordered || a > b;
      case Compare::geu:
        return unordered || a >= b;
      case Compare::num:
        return !unordered;
      case Compare::nan:
        return unordered;
    }
    return false;
  }
}

// Half i of a pair.
template <class Small, int I>
Small half_of(unsigned pair) {
  return {static_cast<unsigned short>(pair >> 16 * I)};
}

}  // namespace simt::ptx
