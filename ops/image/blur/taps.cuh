// What the kernels get: the weights, the sizes, and how a sum becomes an element.
#pragma once
#include <string>

#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "core/thread/divisor.cuh"
#include "ops/image/blur/weights.h"

namespace warpath::blur {

// Bytes are summed in unsigned integers, all other types in float.
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

// Room for zeros on both sides: kernels that make several results at once reach past the weights.
inline constexpr int pad = 8;

template <class T>
struct Taps {
  int radius;
  bool box;
  Border border;
  unsigned half;    // of bytes: what rounds
  Divisor by_area;  // of bytes and a box
  sum_of<T> at[most_size + 2 * pad];

  static Taps of(const Args& args) {
    check_size(args);
    Taps t = {};
    const auto size = static_cast<int>(args.size);
    t.radius = size / 2;
    t.box = args.kind == Kind::box;
    t.border = args.border;
    t.half = t.box ? unsigned(size * size / 2) : 1u << (2 * unit_bits - 1);
    t.by_area = Divisor::of(size * size);
    const std::vector<double> w = weights(args);
    const std::vector<unsigned> q = byte_weights(args);
    for (int k = 0; k < size; ++k) {
      const auto i = static_cast<std::size_t>(k);
      if constexpr (sizeof(T) == 1)
        t.at[pad + k] = q[i];
      else
        t.at[pad + k] = static_cast<float>(w[i]);
    }
    return t;
  }
  __device__ __forceinline__ sum_of<T> operator[](int k) const { return at[pad + k]; }
  // From the sum over both axes.
  __device__ __forceinline__ T finish(sum_of<T> sum) const {
    if constexpr (sizeof(T) == 1)
      return T(box ? unsigned(by_area.quotient(int(sum + half))) : (sum + half) >> (2 * unit_bits));
    else
      return from_float<T>(sum);
  }
};

struct Image {
  int height, width, channels;

  static Image of(const Tensor& x) {
    return {static_cast<int>(x.shape[1]), static_cast<int>(x.shape[2]),
            static_cast<int>(x.shape[3])};
  }
  __host__ __device__ int line() const { return width * channels; }
  __host__ __device__ std::int64_t size() const { return std::int64_t(height) * line(); }
};

template <class F>
void dispatch_image(DType dtype, F&& f) {
  dispatch<unsigned char, float, __half, __nv_bfloat16>(dtype, f);
}

inline constexpr std::int64_t max_grid_z = 65535;

// For a rung's .supports, where a block takes `rows` rows of an image: empty if a grid has enough blocks along y.
inline std::string few_strips(const Args& args, std::int64_t rows) {
  constexpr std::int64_t max_grid_y = 65535;
  return ceil_div(args.x.shape[1], rows) <= max_grid_y
             ? ""
             : "is for images of at most " + std::to_string(max_grid_y * rows) + " rows";
}

}  // namespace warpath::blur
