// The args of a call as a kernel takes them, by value.
#pragma once
#include <algorithm>

#include "core/block/reduce.cuh"
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "core/thread/vector.cuh"
#include "ops/quant/int8_matvec/int8_matvec.h"

namespace warpath::int8_matvec {

template <class T>
struct Problem {
  const T* x;
  const unsigned char* codes;
  const float* scales;
  const T* bias;  // null where there is none
  T* y;
  std::int64_t rows, n, k;

  __device__ __forceinline__ void put(float sum, std::int64_t row, std::int64_t j) const {
    sum *= scales[j];
    if (bias) sum += to_float(bias[j]);
    y[row * n + j] = from_float<T>(sum);
  }
};

template <class T>
Problem<T> problem_of(const Args& args) {
  return {args.x.as<T>(),
          args.codes.as<unsigned char>(),
          args.scales.as<float>(),
          args.bias.as<T>(),
          args.y.as<T>(),
          args.rows(),
          args.n(),
          args.k()};
}

inline std::string in_vectors(const Args& args) {
  if (args.x.is_aligned(16) && args.codes.is_aligned(16) && args.k() % 16 == 0) return {};
  return "loads 16 bytes: rows must start at multiples of 16 bytes";
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

// Of int8_quantize.
__device__ __forceinline__ float factor_of(float most) {
  return 127.0f / fmaxf(most, 0x1p-119f);
}
__device__ __forceinline__ unsigned char code_of(float w, float factor) {
  return static_cast<unsigned char>(128 + __float2int_rn(w * factor));
}

}  // namespace warpath::int8_matvec
