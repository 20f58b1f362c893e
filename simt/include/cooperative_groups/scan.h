#pragma once

// Prefix sums, and the like with other operations, over the threads of a tile or a warp's group.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <type_traits>

namespace cooperative_groups {

template <class Group, class T, class Op>
T inclusive_scan(const Group& group, T value, Op&& op, SIMT_HERE) {
  const unsigned size = group.num_threads(), rank = group.thread_rank();
  for (unsigned step = 1; step < size; step *= 2) {
    const T other = group.shfl_up(value, step, file, line);
    if (rank >= step) value = op(other, value);
  }
  return value;
}
// Over several warps: each its own part, then all that comes before the warp.
template <unsigned Size, class Parent, class T, class Op, std::enable_if_t<(Size > 32), int> = 0>
T inclusive_scan(const thread_block_tile<Size, Parent>& group, T value, Op&& op, SIMT_HERE) {
  value = inclusive_scan(tiled_partition<32>(group), value, op, file, line);
  T before;
  return group.before_warp(value, before, op, {file, line}) ? op(before, value) : value;
}
template <class Group, class T>
T inclusive_scan(const Group& group, T value, SIMT_HERE) {
  return inclusive_scan(group, value, plus<T>(), file, line);
}

// The first thread gets T().
template <class Group, class T, class Op>
T exclusive_scan(const Group& group, T value, Op&& op, SIMT_HERE) {
  const T inclusive = inclusive_scan(group, value, op, file, line);
  const T before = group.shfl_up(inclusive, 1, file, line);
  return group.thread_rank() == 0 ? T() : before;
}
template <unsigned Size, class Parent, class T, class Op, std::enable_if_t<(Size > 32), int> = 0>
T exclusive_scan(const thread_block_tile<Size, Parent>& group, T value, Op&& op, SIMT_HERE) {
  const T inclusive = inclusive_scan(group, value, op, file, line);
  return group.from_before(inclusive, T(), {file, line});
}
template <class Group, class T>
T exclusive_scan(const Group& group, T value, SIMT_HERE) {
  return exclusive_scan(group, value, plus<T>(), file, line);
}

}  // namespace cooperative_groups
