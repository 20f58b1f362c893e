// What happens to a sum before it is written, in one place for all rungs:
//   d = activation(alpha * sum + beta * c + bias)
// The type of d (and of c, which has the same) is told at run time: f32, or the inputs' own. Every
// thread of a launch takes the same branches, and an output is touched once for k products.
#pragma once
#include "core/convert.cuh"
#include "core/ptx/exp2.cuh"
#include "core/ptx/reciprocal.cuh"
#include "core/vector.cuh"
#include "matmul.h"

namespace warpath::matmul {

// x / (1 + exp(-y)). A large -y makes the reciprocal 0 and not NaN: exp gives infinity.
__device__ __forceinline__ float times_sigmoid(float x, float y) {
  return x * ptx::reciprocal(1.0f + ptx::exp2(-1.4426950408889634f * y));
}

__device__ __forceinline__ float activate(Activation activation, float x) {
  switch (activation) {
    case Activation::none:
      return x;
    case Activation::relu:
      return x < 0.0f ? 0.0f : x;  // NaN stays
    case Activation::gelu:         // 1 + tanh(y) is 2 / (1 + exp(-2 y))
      return times_sigmoid(x, 1.5957691216057308f * (x + 0.044715f * x * x * x));
    case Activation::silu:
      return times_sigmoid(x, x);
  }
  return x;
}

template <class T>  // of the inputs
struct Epilogue {
  void* d;        // batch x m x n, in rows without gaps
  const void* c;  // null: none
  const T* bias;  // null: none
  std::int64_t c_batch, c_row, c_col;
  std::int64_t m, n;
  float alpha, beta;
  Activation activation;
  bool to_float;  // d is f32 though the inputs are not

  // d is the sum.
  __device__ __forceinline__ bool plain() const {
    return alpha == 1.0f && !c && !bias && activation == Activation::none;
  }
  __device__ __forceinline__ float c_at(std::int64_t i) const {
    if constexpr (sizeof(T) == 4) {
      return static_cast<const float*>(c)[i];
    } else {
      return to_float ? static_cast<const float*>(c)[i]
                      : warpath::to_float(static_cast<const T*>(c)[i]);
    }
  }
  __device__ __forceinline__ float value(float sum, std::int64_t batch, std::int64_t row,
                                         std::int64_t col) const {
    float x = alpha * sum;
    if (c) x += beta * c_at(batch * c_batch + row * c_row + col * c_col);
    if (bias) x += warpath::to_float(bias[col]);
    return activate(activation, x);
  }

  // One element; nothing outside of d.
  __device__ __forceinline__ void put(float sum, std::int64_t batch, std::int64_t row,
                                      std::int64_t col) const {
    if (row >= m || col >= n) return;
    const float x = value(sum, batch, row, col);
    const std::int64_t at = (batch * m + row) * n + col;
    if constexpr (sizeof(T) == 4) {
      static_cast<float*>(d)[at] = x;
    } else if (to_float) {
      static_cast<float*>(d)[at] = x;
    } else {
      static_cast<T*>(d)[at] = from_float<T>(x);
    }
  }

  // N neighbours of a row, in one access where n allows it; col is a multiple of N.
  template <int N>
  __device__ __forceinline__ void put(const float (&sum)[N], std::int64_t batch, std::int64_t row,
                                      std::int64_t col) const {
    if (row >= m || col >= n) return;
    const std::int64_t at = (batch * m + row) * n + col;
    if (n % N != 0) {
#pragma unroll
      for (int i = 0; i < N; ++i) put(sum[i], batch, row, col + i);
      return;
    }
    float x[N];
#pragma unroll
    for (int i = 0; i < N; ++i) x[i] = value(sum[i], batch, row, col + i);
    if (sizeof(T) == 4 || to_float)
      put_vector<float>(x, at);
    else
      put_vector<T>(x, at);
  }

 private:
  template <class Out, int N>
  __device__ __forceinline__ void put_vector(const float (&x)[N], std::int64_t at) const {
    Out* const to = static_cast<Out*>(d) + at;
    Vector<Out, N> v;
#pragma unroll
    for (int i = 0; i < N; ++i) v.at[i] = from_float<Out>(x[i]);
    if (reinterpret_cast<std::uintptr_t>(to) % sizeof v == 0) {
      store<N>(to, v);
    } else {
#pragma unroll
      for (int i = 0; i < N; ++i) to[i] = v.at[i];
    }
  }
};

// The same on all sums of a thread that holds many of them, a step for all of them at a time: one branch
// a step, where one for every sum makes a kernel many times as long, and minutes of compiling.
// each(f) calls f(sum, i, j) with every sum, by reference, and its place relative to (row, col).
template <class T, class Each>
__device__ __forceinline__ void finish(const Epilogue<T>& out, std::int64_t batch, std::int64_t row,
                                       std::int64_t col, Each each) {
  if (out.plain()) return;  // at once: the steps that follow are long, and far from what comes next
  if (out.alpha != 1.0f) each([&](float& sum, int, int) { sum *= out.alpha; });
  if (out.c) {
    const std::int64_t first = batch * out.c_batch + row * out.c_row + col * out.c_col;
    each([&](float& sum, int i, int j) {
      if (row + i < out.m && col + j < out.n)
        sum += out.beta * out.c_at(first + i * out.c_row + j * out.c_col);
    });
  }
  if (out.bias)
    each([&](float& sum, int, int j) {
      if (col + j < out.n) sum += to_float(out.bias[col + j]);
    });
  using enum Activation;
  if (out.activation == relu) each([](float& sum, int, int) { sum = activate(relu, sum); });
  if (out.activation == gelu) each([](float& sum, int, int) { sum = activate(gelu, sum); });
  if (out.activation == silu) each([](float& sum, int, int) { sum = activate(silu, sum); });
}

namespace detail {

template <class Out, class T, class Pairs>
__device__ __forceinline__ void store_pairs_as(const Epilogue<T>& out, std::int64_t batch,
                                               std::int64_t row, std::int64_t col, Pairs pairs) {
  Out* const first = static_cast<Out*>(out.d) + ((batch * out.m + row) * out.n + col);
  const bool whole =
      out.n % 2 == 0 && reinterpret_cast<std::uintptr_t>(out.d) % (2 * sizeof(Out)) == 0;
  pairs([&](float x, float y, int i, int j) {
    if (row + i >= out.m || col + j >= out.n) return;
    Out* const to = first + (i * out.n + j);
    if (whole) {
      store<2>(to, Vector<Out, 2>{from_float<Out>(x), from_float<Out>(y)});
    } else {
      to[0] = from_float<Out>(x);
      if (col + j + 1 < out.n) to[1] = from_float<Out>(y);
    }
  });
}

}  // namespace detail

// Finished sums to d, by twos: pairs(f) calls f(sum, its neighbour, i, j); col is even, and so is every j.
template <class T, class Pairs>
__device__ __forceinline__ void store_pairs(const Epilogue<T>& out, std::int64_t batch,
                                            std::int64_t row, std::int64_t col, Pairs pairs) {
  if (sizeof(T) == 4 || out.to_float)
    detail::store_pairs_as<float>(out, batch, row, col, pairs);
  else
    detail::store_pairs_as<T>(out, batch, row, col, pairs);
}

}  // namespace warpath::matmul
