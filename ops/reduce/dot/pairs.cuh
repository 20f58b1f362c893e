// What the rungs of dot share: pairs of elements, one of each tensor, as the input of a reduction.
#pragma once
#include "ops/reduce/accumulate.cuh"
#include "ops/reduce/dot/dot.h"

namespace warpath::dot {

template <class T>
struct Pairs {
  const T *x, *y;
};

// What a pass adds up: products at first, then the sums of the pass before.
template <class T>
__device__ __forceinline__ float term(Pairs<T> in, std::int64_t i) {
  return to_float(in.x[i]) * to_float(in.y[i]);
}
__device__ __forceinline__ float term(const float* in, std::int64_t i) {
  return in[i];
}

// pass(in, out, n, blocks_a_row) until one sum per row is left; the first `in` are the pairs, the last `out` is z.
template <class T, class Pass>
void sum_in_passes(const Args& args, int per_block, Pass&& pass) {
  reduce::reduce_in_passes<float>(Pairs<T>{args.x.as<T>(), args.y.as<T>()}, args.z.as<T>(),
                                  static_cast<float*>(args.scratch.data), args.x.shape[0],
                                  args.x.shape[1], per_block, pass);
}

inline std::string in_rows(const Args& args) {
  return args.x.is_contiguous() && args.y.is_contiguous() ? "" : "takes rows without gaps";
}

inline std::int64_t pass_scratch(const Args& args, int per_block) {
  return reduce::partials_of_passes(args.x.shape[0], args.x.shape[1], per_block) * 4;
}

}  // namespace warpath::dot
