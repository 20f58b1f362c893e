// The args of a call as a kernel takes them, by value.
#pragma once
#include "core/convert.cuh"
#include "core/dispatch.cuh"
#include "core/launch.h"
#include "core/vector.cuh"
#include "matvec.h"

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

inline constexpr int most_rows = 16;

inline std::string few_rows(const Args& args) {
  if (args.rows() <= most_rows) return {};
  return "more than 16 rows of x are a matter for matmul";
}

}  // namespace warpath::matvec
