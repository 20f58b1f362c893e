// What the reductions of rows share: the type of a running result, and reductions in several passes.
#pragma once
#include <utility>

#include "core/block/reduce.cuh"
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"

namespace warpath::reduce {

// Floats of every width are added up in float, integers in int (wrapping as two's complement does).
template <class T>
struct AccumulatorOf {
  using type = float;
};
template <>
struct AccumulatorOf<int> {
  using type = int;
};
template <class T>
using Accumulator = typename AccumulatorOf<T>::type;

__device__ __forceinline__ int widen(int x) {
  return x;
}
template <class T>
__device__ __forceinline__ float widen(T x) {
  return to_float(x);
}

template <class T>
__device__ __forceinline__ T narrow(Accumulator<T> x) {
  if constexpr (sizeof(T) == 4)
    return x;
  else
    return from_float<T>(x);
}

// A pass writes the result in its own type and partial results as they are.
template <class T>
__device__ __forceinline__ void put(T* out, Accumulator<T> value) {
  *out = narrow<T>(value);
}

// For the rungs that reduce in passes: a pass reduces every `per_block` elements of a row to one,
// until one is left. Partial results of type A go back and forth between the halves of the scratch
// memory.
inline std::int64_t partials_of_passes(std::int64_t rows, std::int64_t cols, int per_block) {
  const std::int64_t first = ceil_div(std::max<std::int64_t>(cols, 1), per_block);
  return rows * (first + ceil_div(first, per_block));
}

// pass(in, out, n, blocks_a_row): the first `in` is what was given, later ones are `const A*`; the
// last `out` is y, those before are `A*`.
template <class A, class In, class Out, class Pass>
void reduce_in_passes(In in, Out* y, A* partials, std::int64_t rows, std::int64_t n, int per_block,
                      Pass&& pass) {
  std::int64_t blocks = std::max<std::int64_t>(1, ceil_div(n, per_block));
  A* next = partials;
  A* other = next + rows * blocks;
  if (blocks == 1) return pass(in, y, n, blocks);
  pass(in, next, n, blocks);
  for (;;) {
    const A* from = next;
    n = blocks;
    blocks = ceil_div(n, per_block);
    if (blocks == 1) return pass(from, y, n, blocks);
    pass(from, other, n, blocks);
    std::swap(next, other);
  }
}

}  // namespace warpath::reduce
