#pragma once

// Reductions over the threads of a tile or a warp's group. Every thread gets the result.

#include <cooperative_groups.h>

#include <utility>

namespace cooperative_groups {

#define SIMT_GROUP_OPERATION(NAME, EXPRESSION)                        \
  template <class T = void>                                           \
  struct NAME {                                                       \
    T operator()(const T& a, const T& b) const { return EXPRESSION; } \
  };                                                                  \
  template <>                                                         \
  struct NAME<void> {                                                 \
    template <class T>                                                \
    T operator()(const T& a, const T& b) const {                      \
      return EXPRESSION;                                              \
    }                                                                 \
  };

// As in CUDA, less keeps the smaller and greater the greater of the two.
SIMT_GROUP_OPERATION(plus, a + b)
SIMT_GROUP_OPERATION(less, b < a ? b : a)
SIMT_GROUP_OPERATION(greater, a < b ? b : a)
SIMT_GROUP_OPERATION(bit_and, a& b)
SIMT_GROUP_OPERATION(bit_or, a | b)
SIMT_GROUP_OPERATION(bit_xor, a ^ b)
#undef SIMT_GROUP_OPERATION

template <unsigned Size, class Parent, class T, class Op>
T reduce(const thread_block_tile<Size, Parent>& group, T value, Op&& op, SIMT_HERE) {
  if constexpr (Size > 32) {
    value = reduce(tiled_partition<32>(group), value, op, file, line);
    return group.combine_warps(value, op, {file, line});
  } else {
    for (unsigned mask = Size / 2; mask > 0; mask /= 2) {
      value = op(value, group.shfl_xor(value, mask, file, line));
    }
    return value;
  }
}

template <class T, class Op>
T reduce(const coalesced_group& group, T value, Op&& op, SIMT_HERE) {
  const unsigned size = group.num_threads(), rank = group.thread_rank();
  for (unsigned step = 1; step < size; step *= 2) {
    // Not where there is nothing to the right: the own value would count twice.
    const T other = group.shfl_down(value, step, file, line);
    if (rank + step < size) value = op(value, other);
  }
  return group.shfl(value, 0, file, line);
}

}  // namespace cooperative_groups
