// What the rungs of scan share: the type of the running value, the operators, and how a launcher picks type and operator.
#pragma once
#include "core/block/reduce.cuh"
#include "core/block/scan.cuh"
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/order/scan/scan.h"

namespace warpath::scan {

struct Product {
  template <class T>
  __device__ __forceinline__ T operator()(T a, T b) const {
    return a * b;
  }
  template <class T>
  static __device__ __forceinline__ T identity() {
    return T(1);
  }
};

// Floats of every width are combined in float, integers in their own type.
template <class T>
using Value = std::conditional_t<std::is_integral_v<T>, T, float>;

template <class T>
__device__ __forceinline__ Value<T> widen(T x) {
  if constexpr (std::is_integral_v<T>)
    return x;
  else
    return to_float(x);
}
template <class T>
__device__ __forceinline__ T narrow(Value<T> x) {
  if constexpr (std::is_integral_v<T>)
    return x;
  else
    return from_float<T>(x);
}

// f(Tag<T>, Op) for the args' element type and kind.
template <class F>
void dispatch_scan(const Args& args, F&& f) {
  dispatch<float, __half, __nv_bfloat16, int, long long>(args.x.dtype, [&](auto tag) {
    if (args.kind == Kind::sum)
      f(tag, Sum{});
    else if (args.kind == Kind::max)
      f(tag, Max{});
    else
      f(tag, Product{});
  });
}

// The rows as a kernel sees them. Place j of a row is counted in the direction of the scan.
template <class T>
struct Rows {
  const T* x;
  T* y;
  std::int64_t cols;
  bool exclusive, reverse;

  explicit Rows(const Args& args)
      : x(args.x.as<T>()),
        y(args.y.as<T>()),
        cols(args.x.shape[1]),
        exclusive(args.exclusive),
        reverse(args.reverse) {}
  __device__ __forceinline__ std::int64_t at(std::int64_t row, std::int64_t j) const {
    return row * cols + (reverse ? cols - 1 - j : j);
  }
};

// For .supports of the rungs that know no segments.
inline std::string no_segments(const Args& args) {
  return args.heads.rank == 0 ? "" : "takes no segments; 08_segments does";
}
// For .supports of the rungs with one block per row.
inline std::string one_block_a_row(const Args& args) {
  if (args.x.shape[1] > (1 << 22))
    return "takes rows of at most 2^22 elements: one block walks along a row";
  return no_segments(args);
}

}  // namespace warpath::scan
