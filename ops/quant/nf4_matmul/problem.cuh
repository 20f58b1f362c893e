// The args of a call as a kernel takes them, by value. The two tables come with them: kernel parameters lie in constant
// memory.
#pragma once
#include <algorithm>

#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "core/thread/vector.cuh"
#include "ops/quant/nf4_matmul/nf4_matmul.h"

namespace warpath::nf4_matmul {

template <class T>
struct Problem {
  const T* x;
  const unsigned char *codes, *absmax;
  const float *scales, *offset;
  const T* bias;  // null where there is none
  T* y;
  std::int64_t rows, n, k, blocks;
  nf4::Values values;
  nf4::Map map;

  // What the values of block b are multiplied by, blocks counted through all of w. Constant memory serves one address at a
  // time: where the lanes of a warp have different blocks, a copy of the map in shared memory is the better `from`.
  __device__ __forceinline__ float factor(std::int64_t b, const float* from) const {
    return fmaf(from[absmax[b]], scales[b / nf4::group], *offset);
  }
  __device__ __forceinline__ float factor(std::int64_t b) const { return factor(b, map.at); }
  __device__ __forceinline__ void put(float sum, std::int64_t row, std::int64_t j) const {
    if (bias) sum += to_float(bias[j]);
    y[row * n + j] = from_float<T>(sum);
  }
};

template <class T>
Problem<T> problem_of(const Args& args) {
  return {args.x.as<T>(),
          args.codes.as<unsigned char>(),
          args.absmax.as<unsigned char>(),
          args.scales.as<float>(),
          args.offset.as<float>(),
          args.bias.as<T>(),
          args.y.as<T>(),
          args.rows(),
          args.n(),
          args.k(),
          args.blocks(),
          nf4::values,
          nf4::map};
}

// Two weights for the tensor cores: rounded, as one word, and what their rounding has lost, as another.
template <class T>
__device__ __forceinline__ uint2 entry_of(float first, float second) {
  const float left[2] = {first - to_float(from_float<T>(first)),
                         second - to_float(from_float<T>(second))};
  return make_uint2(pack<T>(first, second), pack<T>(left[0], left[1]));
}

inline std::string in_vectors(const Args& args) {
  if (args.x.is_aligned(16) && args.codes.is_aligned(16)) return {};
  return "x and codes must start at multiples of 16 bytes";
}

inline constexpr int most_rows = 16;  // of x that a launch takes

// f(args of a launch, tag of how many rows its kernel is made for), for up to 16 rows of x at a time: w is read once per
// launch.
template <class F>
void by_rows(const Args& args, F&& f) {
  const auto moved = [](const Tensor& t, std::int64_t elements) {
    return static_cast<char*>(t.data) + elements * std::int64_t(size_of(t.dtype));
  };
  for (std::int64_t row = 0; row < args.rows(); row += most_rows) {
    Args some = args;
    some.x.data = moved(args.x, row * args.k());
    some.y.data = moved(args.y, row * args.n());
    const std::int64_t rows = std::min<std::int64_t>(most_rows, args.rows() - row);
    some.x.shape[0] = some.y.shape[0] = rows;
    if (rows == 1)
      f(some, std::integral_constant<int, 1>{});
    else if (rows <= 4)
      f(some, std::integral_constant<int, 4>{});
    else
      f(some, std::integral_constant<int, most_rows>{});
  }
}

}  // namespace warpath::nf4_matmul
