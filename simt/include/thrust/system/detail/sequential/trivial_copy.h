#pragma once

// Copies of plain elements in one piece. Not memmove: the checks see loops only.

#include <thrust/detail/config.h>

#include <cstddef>
#include <functional>

THRUST_NAMESPACE_BEGIN
namespace system::detail::sequential {

template <class T>
T* trivial_copy_n(const T* first, std::ptrdiff_t count, T* result) {
  if (std::less<const T*>()(first, result)) {  // they may overlap
    for (std::ptrdiff_t i = count; i-- > 0;) result[i] = first[i];
  } else {
    for (std::ptrdiff_t i = 0; i < count; ++i) result[i] = first[i];
  }
  return result + count;
}

}  // namespace system::detail::sequential
THRUST_NAMESPACE_END
