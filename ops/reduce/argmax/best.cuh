// What the rungs of argmax share: a value together with its place, and which of two is the better one.
#pragma once
#include "core/host/device.cuh"
#include "ops/reduce/accumulate.cuh"
#include "ops/reduce/argmax/argmax.h"

namespace warpath::argmax {

inline constexpr std::int64_t nowhere = std::int64_t(~std::uint64_t(0) >> 1);  // after every place

// The best value of some elements, in float or int, and its place. A minimum is the maximum of flipped values.
template <class V>
struct Best {
  V value;
  std::int64_t at;
};

// NaN wins over every number.
template <class V>
__device__ __forceinline__ bool wins(V a, V b) {
  return a > b || (a != a && b == b);
}

// Of equal values the first wins.
struct Better {
  template <class V>
  __device__ __forceinline__ Best<V> operator()(Best<V> a, Best<V> b) const {
    return wins(b.value, a.value) || (!wins(a.value, b.value) && b.at < a.at) ? b : a;
  }
};

template <class V>
__device__ __forceinline__ Best<V> nothing() {
  return {Max::identity<V>(), nowhere};
}

// Both words of a pair go through the shuffles; block_reduce finds this one for pairs.
template <int Width = 32, class V, class Op>
__device__ __forceinline__ Best<V> warp_reduce(Best<V> best, Op op) {
#pragma unroll
  for (int offset = Width / 2; offset > 0; offset /= 2)
    best = op(best, Best<V>{__shfl_xor_sync(full_mask, best.value, offset),
                            __shfl_xor_sync(full_mask, best.at, offset)});
  return best;
}

// Reverses the order of floats by their sign bit, of ints by all bits; no bit for a maximum.
template <class T>
unsigned flip_of(Kind kind) {
  return kind == Kind::max ? 0u : std::is_same_v<T, int> ? 0xffffffffu : 0x80000000u;
}
__device__ __forceinline__ float flipped(float x, unsigned flip) {
  return __uint_as_float(__float_as_uint(x) ^ flip);
}
__device__ __forceinline__ int flipped(int x, unsigned flip) {
  return int(unsigned(x) ^ flip);
}

// The tensor, any strides.
template <class T>
struct View {
  const T* x;
  std::int64_t row_stride, col_stride;
  unsigned flip;

  static View of(const Args& args) {
    return {args.x.as<T>(), args.x.stride[0], args.x.stride[1], flip_of<T>(args.kind)};
  }
  __device__ __forceinline__ reduce::Accumulator<T> value(std::int64_t row, std::int64_t i) const {
    return flipped(reduce::widen(x[row * row_stride + i * col_stride]), flip);
  }
};

// What a pass looks at: elements at first, then the best of the pass before.
template <class T>
__device__ __forceinline__ auto candidate(View<T> in, std::int64_t row, std::int64_t i,
                                          std::int64_t) {
  return Best<reduce::Accumulator<T>>{in.value(row, i), i};
}
template <class V>
__device__ __forceinline__ Best<V> candidate(const Best<V>* in, std::int64_t row, std::int64_t i,
                                             std::int64_t n) {
  return in[row * n + i];
}

template <class V>
__device__ __forceinline__ void put(Best<V>* out, Best<V> best) {
  *out = best;
}
template <class V>
__device__ __forceinline__ void put(std::int64_t* out, Best<V> best) {
  *out = best.at == nowhere ? -1 : best.at;
}

template <class F>
void dispatch_type(const Args& args, F&& f) {
  dispatch<float, __half, __nv_bfloat16, int>(args.x.dtype, f);
}

// pass(in, out, n, blocks_a_row) until one place per row is left.
template <class T, class Pass>
void find_in_passes(const Args& args, int per_block, Pass&& pass) {
  using B = Best<reduce::Accumulator<T>>;
  reduce::reduce_in_passes<B>(View<T>::of(args), args.y.as<std::int64_t>(),
                              static_cast<B*>(args.scratch.data), args.x.shape[0], args.x.shape[1],
                              per_block, pass);
}

inline std::int64_t pass_scratch(const Args& args, int per_block) {
  return reduce::partials_of_passes(args.x.shape[0], args.x.shape[1], per_block) * 16;
}

}  // namespace warpath::argmax
