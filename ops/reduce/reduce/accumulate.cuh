// What the rungs of reduce share: how a launcher picks type and operator.
#pragma once
#include "ops/reduce/accumulate.cuh"
#include "ops/reduce/reduce/reduce.h"

namespace warpath::reduce {

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

// For the rungs that reduce in passes; see ops/reduce/accumulate.cuh.
inline std::int64_t pass_scratch(const Args& args, int per_block) {
  return partials_of_passes(args.x.shape[0], args.x.shape[1], per_block) * 4;
}

// pass(in, out, n, blocks_a_row): `in` and `out` are typed pointers; the first `in` is x, the last
// `out` is y.
template <class T, class Pass>
void reduce_in_passes(const Args& args, int per_block, Pass&& pass) {
  using A = Accumulator<T>;
  reduce_in_passes<A>(args.x.as<const T>(), args.y.as<T>(), static_cast<A*>(args.scratch.data),
                      args.x.shape[0], args.x.shape[1], per_block, pass);
}

}  // namespace warpath::reduce
