// The args of a call as a kernel takes them, by value.
#pragma once
#include <string>

#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "ops/matmul/matmul/epilogue.cuh"

namespace warpath::matmul {

// A batch of matrices with any strides, in elements.
template <class T>
struct Matrices {
  const T* data;
  std::int64_t batch, row, col;

  __device__ __forceinline__ T at(std::int64_t b, std::int64_t i, std::int64_t j) const {
    return data[b * batch + i * row + j * col];
  }
};

template <class T>
struct Problem {
  Matrices<T> a, b;
  Epilogue<T> out;
  std::int64_t batch, m, n, k;
};

template <class T>
Problem<T> problem_of(const Args& args) {
  const auto matrices = [](const Tensor& t) {
    return Matrices<T>{t.as<T>(), t.stride[0], t.stride[1], t.stride[2]};
  };
  const Tensor& c = args.c;
  const Epilogue<T> out{
      .d = args.d.data,
      .c = args.has_c() ? c.data : nullptr,
      .bias = args.bias.as<T>(),
      .c_batch = c.stride[0],
      .c_row = c.stride[1],
      .c_col = c.stride[2],
      .m = args.m(),
      .n = args.n(),
      .alpha = static_cast<float>(args.alpha),
      .beta = static_cast<float>(args.beta),
      .activation = args.activation,
      .to_float = args.d.dtype == DType::f32,
      .bias_in_pairs = args.n() % 2 == 0 &&
                       reinterpret_cast<std::uintptr_t>(args.bias.data) % (2 * sizeof(T)) == 0,
  };
  return {matrices(args.a), matrices(args.b), out, args.batch(), args.m(), args.n(), args.k()};
}

// Tiles are numbered along x, for the other dimensions of a grid end at 65535: along a row of tiles
// first, then down, then through the batch.
struct Place {
  std::int64_t batch, row, col;
};
template <int Down, int Right>
__device__ __forceinline__ Place place_of(unsigned tile, std::int64_t m, std::int64_t n) {
  const unsigned right = unsigned((n + Right - 1) / Right), down = unsigned((m + Down - 1) / Down);
  const unsigned row = tile / right;
  return {row / down, std::int64_t(row % down) * Down, std::int64_t(tile % right) * Right};
}
inline unsigned tiles_of(const Args& args, int down, int right) {
  const std::int64_t tiles = args.batch() * ceil_div(args.m(), down) * ceil_div(args.n(), right);
  WARPATH_CHECK(tiles <= max_grid_x, "matmul: d has too many tiles for one launch");
  return static_cast<unsigned>(tiles);
}

// What no rung takes: d is f32 or has the type of the inputs.
inline std::string any(const Args& args) {
  if (args.d.dtype == DType::f32 || args.d.dtype == args.a.dtype) return {};
  return "d is " + std::string(name(args.d.dtype)) + "; it must be f32 or " +
         std::string(name(args.a.dtype)) + " as a is";
}

}  // namespace warpath::matmul
