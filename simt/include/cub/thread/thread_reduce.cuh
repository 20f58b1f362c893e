#pragma once

// One thread over its own items.

#include <cub/thread/thread_operators.cuh>

namespace cub {

namespace internal {

template <class T, int Items, class Op>
T ThreadReduce(const T (&input)[Items], Op op) {
  T result = input[0];
  for (int i = 1; i < Items; ++i) result = simt::call_op(op, result, input[i]);
  return result;
}
template <class T, int Items, class Op>
T ThreadReduce(const T (&input)[Items], Op op, T prefix) {
  return simt::call_op(op, prefix, internal::ThreadReduce(input, op));
}

}  // namespace internal

using internal::ThreadReduce;

}  // namespace cub
