#pragma once

// Binary searches by one thread.

#include <cub/util_type.cuh>

namespace cub {

// Where the diagonal crosses the path that merges a and b.
template <class A, class B, class Offset, class Coordinate>
void MergePathSearch(Offset diagonal, A a, B b, Offset a_size, Offset b_size,
                     Coordinate& coordinate) {
  Offset low = diagonal > b_size ? diagonal - b_size : 0;
  Offset high = diagonal < a_size ? diagonal : a_size;
  while (low < high) {
    const Offset middle = (low + high) / 2;
    if (a[middle] <= b[diagonal - middle - 1]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  coordinate.x = low < a_size ? low : a_size;
  coordinate.y = diagonal - low;
}

template <class Iterator, class Offset, class T>
Offset LowerBound(Iterator input, Offset count, T value) {
  Offset first = 0;
  while (count > 0) {
    const Offset half = count / 2;
    if (input[first + half] < value) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}
template <class Iterator, class Offset, class T>
Offset UpperBound(Iterator input, Offset count, T value) {
  Offset first = 0;
  while (count > 0) {
    const Offset half = count / 2;
    if (value < input[first + half]) {
      count = half;
    } else {
      first += half + 1;
      count -= half + 1;
    }
  }
  return first;
}

}  // namespace cub
