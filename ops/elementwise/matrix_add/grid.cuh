// A matrix as a kernel sees it, and a grid of blocks over it.
#pragma once
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/matrix_add/matrix_add.h"

namespace warpath::matrix_add {

// The pitch is the distance from one row to the next, in elements.
template <class T>
struct Matrix {
  T* data;
  std::int64_t pitch, step;  // step: from one column to the next

  __device__ __forceinline__ T& operator()(std::int64_t row, std::int64_t col) const {
    return data[row * pitch + col * step];
  }
};

template <class T>
Matrix<const T> matrix(const Tensor& t) {
  return {t.as<const T>(), t.stride[0], t.stride[1]};
}

// Blocks for nx by ny elements. A grid has at most 65535 blocks along y: kernels loop over the rest.
inline dim3 grid_of(std::int64_t nx, std::int64_t ny, dim3 block) {
  const std::int64_t y = std::min<std::int64_t>(ceil_div(ny, std::int64_t(block.y)), 65535);
  return dim3(grid_x(nx, block.x), static_cast<unsigned>(y));
}

}  // namespace warpath::matrix_add
