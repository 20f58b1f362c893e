// The args of a call as a kernel takes them, by value.
#pragma once
#include <algorithm>

#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "core/thread/vector.cuh"
#include "ops/matmul/matvec/matvec.h"

namespace warpath::matvec {

template <class T>
struct Problem {
  const T *x, *w, *bias;  // bias: null where there is none
  T* y;
  std::int64_t rows, n, k;

  __device__ __forceinline__ void put(float sum, std::int64_t row, std::int64_t j) const {
    if (bias) sum += to_float(bias[j]);
    y[row * n + j] = from_float<T>(sum);
  }
};

template <class T>
Problem<T> problem_of(const Args& args) {
  return {args.x.as<T>(), args.w.as<T>(), args.bias.as<T>(), args.y.as<T>(),
          args.rows(),    args.n(),       args.k()};
}

// Every row of x and of w starts at a multiple of 16 bytes.
inline bool in_vectors(const Args& args) {
  return args.x.is_aligned(16) && args.w.is_aligned(16) &&
         args.k() * static_cast<std::int64_t>(size_of(args.x.dtype)) % 16 == 0;
}

inline constexpr int most_rows = 16;  // of x that a launch takes

// f(args of a launch) for up to 16 rows of x at a time: w is read once per launch.
template <class F>
void by_rows(const Args& args, F&& f) {
  const auto moved = [](const Tensor& t, std::int64_t elements) {
    return static_cast<char*>(t.data) + elements * std::int64_t(size_of(t.dtype));
  };
  for (std::int64_t row = 0; row < args.rows(); row += most_rows) {
    Args some = args;
    some.x.data = moved(args.x, row * args.k());
    some.y.data = moved(args.y, row * args.n());
    some.x.shape[0] = some.y.shape[0] = std::min<std::int64_t>(most_rows, args.rows() - row);
    f(some);
  }
}

}  // namespace warpath::matvec
