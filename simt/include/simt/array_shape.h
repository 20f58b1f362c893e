#pragma once

// The dimensions of an array variable, by which the checks name its elements: s[3][5].

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace simt {

struct ArrayShape {
  static constexpr unsigned most = 4;
  bool known = false;
  unsigned rank = 0;             // 0: no array, or one of more dimensions than fit
  std::size_t steps[most] = {};  // bytes from one element of a dimension to the next
};

template <class T>
constexpr ArrayShape shape_of() {
  ArrayShape shape;
  if constexpr (std::rank_v<T> <= ArrayShape::most) {
    shape.known = true;
    shape.rank = std::rank_v<T>;
    if constexpr (std::rank_v < T >> 0) {
      using Row = std::remove_extent_t<T>;
      constexpr ArrayShape inner = shape_of<Row>();
      shape.steps[0] = sizeof(Row);
      for (unsigned i = 0; i < inner.rank; ++i) shape.steps[i + 1] = inner.steps[i];
    }
  }
  return shape;
}

}  // namespace simt
