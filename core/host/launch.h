// Host-side arithmetic of launches.
#pragma once
#include <algorithm>
#include <cstdint>

namespace warpath {

template <class A, class B>
constexpr auto ceil_div(A a, B b) {
  return (a + b - 1) / b;
}

inline constexpr std::int64_t max_grid_x = 2147483647;

// Blocks along x for `n` items at `per_block` each; kernels that may get more items than that loop.
inline unsigned grid_x(std::int64_t n, std::int64_t per_block) {
  return static_cast<unsigned>(std::clamp<std::int64_t>(ceil_div(n, per_block), 1, max_grid_x));
}

}  // namespace warpath
