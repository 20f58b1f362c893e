// One row per image: of scale, shift, gate and their gradients. The rows lie anywhere; in a packed product, each begins
// several rows' widths behind the one before.
#pragma once
#include <string>

#include "core/host/rung.h"
#include "ops/norm/row.cuh"

namespace warpath::adaptive_norm {

template <class T>
struct PerImage {
  T* data;
  std::int64_t row, column;  // strides

  explicit PerImage(const Tensor& t) : data(t.as<T>()), row(t.stride[0]), column(t.stride[1]) {}
  __device__ __forceinline__ T& at(std::int64_t image, std::int64_t c) const {
    return data[image * row + c * column];
  }
};

// A row's elements are neighbours, which vector loads need.
inline bool side_by_side(const Tensor& t) {
  return t.shape[1] <= 1 || t.stride[1] == 1;
}
inline std::string needs_side_by_side() {
  return "the columns of scale, shift and gate must lie side by side";
}

// Whether every row starts at a multiple of 16 bytes, if the elements of a row are side by side.
template <class T>
bool rows_aligned(const Tensor& t) {
  return t.is_aligned(16) && (t.shape[0] <= 1 || t.stride[0] % lanes_of_16<T> == 0);
}

// Calls f(width): as norm::with_width, and the rows per image must be aligned too.
template <class T, class F, class... P>
void with_width(std::int64_t cols, bool aligned, F f, const P*... p) {
  if (aligned)
    norm::with_width<T>(cols, f, p...);
  else
    f(std::integral_constant<int, 1>{});
}

}  // namespace warpath::adaptive_norm
