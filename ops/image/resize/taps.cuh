// Sums of bytes in integers, of all other types in float; and the weights of a result, one after the other.
#pragma once
#include "core/host/dispatch.cuh"
#include "core/thread/convert.cuh"
#include "ops/image/resize/resize.h"
#include "ops/image/resize/weights.h"

namespace warpath::resize {

template <class T>
struct Sum {
  using type = float;
};
template <>
struct Sum<unsigned char> {
  using type = unsigned;
};
template <class T>
using sum_of = typename Sum<T>::type;

template <class T>
__device__ __forceinline__ sum_of<T> widen(T x) {
  return to_float(x);
}
template <>
__device__ __forceinline__ unsigned widen(unsigned char x) {
  return x;
}

template <class T>
__device__ __forceinline__ T finish(sum_of<T> sum) {
  if constexpr (sizeof(T) == 1)
    return T((sum + (1u << (2 * unit_bits - 1))) >> (2 * unit_bits));
  else
    return from_float<T>(sum);
}

// Calls f(pixel, weight) for each pixel that has a part in result o.
template <class T, class F>
__device__ __forceinline__ void each_tap(const Axis& axis, std::int64_t o, F&& f) {
  const std::int64_t end = axis.end(o), total = total_weight(axis, o);
  ByteWeights units{total};
  const float share = 1 / float(total);
  for (std::int64_t j = axis.first(o); j < end; ++j) {
    if constexpr (sizeof(T) == 1)
      f(int(j), units.next(axis.weight(o, j)));
    else
      f(int(j), float(axis.weight(o, j)) * share);
  }
}

template <class F>
void dispatch_image(DType dtype, F&& f) {
  dispatch<unsigned char, float, __half, __nv_bfloat16>(dtype, f);
}

struct Shape {
  int height, width, channels, out_height, out_width;

  static Shape of(const Args& args) {
    return {int(args.x.shape[1]), int(args.x.shape[2]), int(args.x.shape[3]), int(args.y.shape[1]),
            int(args.y.shape[2])};
  }
};

}  // namespace warpath::resize
