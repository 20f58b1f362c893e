// What the rungs of reduce share: the type of the accumulator, and how a launcher picks type and
// operator.
#pragma once
#include "core/block/reduce.cuh"
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/reduce/reduce/reduce.h"

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

// f(Tag<T>, Op) for the args' element type and kind.
template <class F>
void dispatch_reduce(const Args& args, F&& f) {
  dispatch<float, __half, __nv_bfloat16, int>(args.x.dtype, [&](auto tag) {
    if (args.kind == Kind::sum)
      f(tag, Sum{});
    else
      f(tag, Max{});
  });
}

// For the rungs that reduce in passes: a pass reduces every `per_block` elements of a row to one,
// until one is left. Partial results go back and forth between the halves of the scratch memory.
inline std::int64_t pass_scratch(const Args& args, int per_block) {
  const std::int64_t first = ceil_div(std::max<std::int64_t>(args.x.shape[1], 1), per_block);
  const std::int64_t second = ceil_div(first, per_block);
  return args.x.shape[0] * (first + second) * 4;
}

// pass(in, out, n, blocks_a_row): `in` and `out` are typed pointers; the first `in` is x, the last
// `out` is y.
template <class T, class Pass>
void reduce_in_passes(const Args& args, int per_block, Pass&& pass) {
  using A = Accumulator<T>;
  const std::int64_t rows = args.x.shape[0];
  std::int64_t n = args.x.shape[1];
  std::int64_t blocks = std::max<std::int64_t>(1, ceil_div(n, per_block));
  A* next = static_cast<A*>(args.scratch.data);
  A* other = next + rows * blocks;
  if (blocks == 1) return pass(args.x.as<const T>(), args.y.as<T>(), n, blocks);
  pass(args.x.as<const T>(), next, n, blocks);
  for (;;) {
    const A* in = next;
    n = blocks;
    blocks = ceil_div(n, per_block);
    if (blocks == 1) return pass(in, args.y.as<T>(), n, blocks);
    pass(in, other, n, blocks);
    std::swap(next, other);
  }
}

// A pass writes y in its own type and partial results as they are.
template <class T>
__device__ __forceinline__ void put(T* out, Accumulator<T> value) {
  *out = narrow<T>(value);
}

}  // namespace warpath::reduce
