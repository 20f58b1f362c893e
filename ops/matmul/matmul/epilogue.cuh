// What happens to a sum before it is written, in one place for all rungs:
//   d = activation(alpha * sum + beta * c + bias)
// The type of d (and of c, which has the same) is told at run time: f32, or the inputs' own. Every
// thread of a launch takes the same branches, and an output is touched once for k products.
#pragma once
#include "core/ptx/exp2.cuh"
#include "core/ptx/reciprocal.cuh"
#include "core/ptx/tanh.cuh"
#include "core/thread/convert.cuh"
#include "core/thread/vector.cuh"
#include "ops/matmul/matmul/matmul.h"

namespace warpath::matmul {

// x / (1 + 2^y). A large y makes the reciprocal 0 and not NaN: the power is infinite.
__device__ __forceinline__ float times_sigmoid(float x, float y) {
  return x * ptx::reciprocal(1.0f + ptx::exp2(y));
}

// The same for four, which share a reciprocal: that of the product of their denominators. They are
// held below 2^31, so that the product is finite; what is smaller than x * 2^-31 does not count.
__device__ __forceinline__ void times_sigmoid(float (&x)[4], const float (&y)[4]) {
  float p[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) p[i] = 1.0f + ptx::exp2(fminf(y[i], 31.0f));
  const float first = p[0] * p[1], second = p[2] * p[3];
  const float both = ptx::reciprocal(first * second);
  const float of_first = both * second, of_second = both * first;
  x[0] *= of_first * p[1];
  x[1] *= of_first * p[0];
  x[2] *= of_second * p[3];
  x[3] *= of_second * p[2];
}

// The y of the above. silu: x / (1 + exp(-x)). gelu: x / 2 * (1 + tanh(z)), and 1 + tanh(z) is 2 /
// (1 + exp(-2 z)), z = sqrt(2 / pi) * (x + 0.044715 x^3).
inline constexpr float log2_e = 1.4426950408889634f;
__device__ __forceinline__ float silu_power(float x) {
  return -log2_e * x;
}
__device__ __forceinline__ float gelu_power(float x) {
  constexpr float a = -log2_e * 1.5957691216057308f, b = a * 0.044715f;
  return x * (a + b * (x * x));
}

// gelu in fewer instructions, for results of 16 bits: tanh's own error makes at most x * 2^-12
// here, less than x loses when it is rounded to such a type.
__device__ __forceinline__ float gelu_by_tanh(float x) {
  constexpr float a = 0.7978845608028654f, b = a * 0.044715f;  // sqrt(2 / pi)
  const float half = 0.5f * x;
  return half + half * ptx::tanh(x * (a + b * (x * x)));
}

__device__ __forceinline__ float activate(Activation activation, float x) {
  switch (activation) {
    case Activation::none:
      return x;
    case Activation::relu:
      return x < 0.0f ? 0.0f : x;  // NaN stays
    case Activation::gelu:
      return times_sigmoid(x, gelu_power(x));
    case Activation::silu:
      return times_sigmoid(x, silu_power(x));
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
  bool to_float;       // d is f32 though the inputs are not
  bool bias_in_pairs;  // it can be loaded so from every even column

  // d is the sum.
  __host__ __device__ __forceinline__ bool plain() const {
    return alpha == 1.0f && !c && !bias && activation == Activation::none;
  }
  // Every fourth column of a row of floats starts at a multiple of 16 bytes.
  __device__ __forceinline__ bool whole_fours() const {
    return n % 4 == 0 && reinterpret_cast<std::uintptr_t>(d) % 16 == 0;
  }
  // Of a plain d of floats.
  __device__ __forceinline__ void put_four(const float (&sum)[4], std::int64_t batch,
                                           std::int64_t row, std::int64_t col) const {
    if (row < m && col < n)
      __stwb(reinterpret_cast<float4*>(static_cast<float*>(d) + (batch * m + row) * n + col),
             make_float4(sum[0], sum[1], sum[2], sum[3]));
  }
  // d is of 16 bits and every eighth column of a row starts at a multiple of 16 bytes.
  __device__ __forceinline__ bool whole_vectors() const {
    return sizeof(T) == 2 && !to_float && n % 8 == 0 &&
           reinterpret_cast<std::uintptr_t>(d) % 16 == 0;
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

// Four sums as tensor cores leave them with a thread: two neighbours in a row, the first in an even
// column, and the two that are 8 rows below.
using Quad = float[4];

template <class F>
__device__ __forceinline__ void for_each_of(Quad& quad, F f) {
#pragma unroll
  for (int i = 0; i < 4; ++i) f(quad[i], i / 2 * 8, i % 2);
}

// The same on all sums of a thread that holds many of them, a step for all of them at a time: one
// branch per step, where one for every sum makes a kernel many times as long, and takes minutes to
// compile. quads(f) calls f(quad, i, j) with all of them, by reference, and their place relative to
// (row, col).
template <class T, class Quads>
__device__ __forceinline__ void finish(const Epilogue<T>& out, std::int64_t batch, std::int64_t row,
                                       std::int64_t col, Quads quads) {
  if (out.plain()) return;  // at once: the steps that follow are long, and far from what comes next
  const auto each = [&](auto f) {
    quads([&](Quad& quad, int i, int j) {
      for_each_of(quad, [&](float& sum, int down, int right) { f(sum, i + down, j + right); });
    });
  };
  if (out.alpha != 1.0f) each([&](float& sum, int, int) { sum *= out.alpha; });
  if (out.c) {
    const std::int64_t first = batch * out.c_batch + row * out.c_row + col * out.c_col;
    each([&](float& sum, int i, int j) {
      if (row + i < out.m && col + j < out.n)
        sum += out.beta * out.c_at(first + i * out.c_row + j * out.c_col);
    });
  }
  if (out.bias) {
    const T* const bias = out.bias + col;
    constexpr int most = 1 << 20;  // more than any thread looks at
    const int left = out.n - col < most ? int(out.n - col) : most;
    if (out.bias_in_pairs)
      quads([&](Quad& quad, int, int j) {
        if (j >= left) return;
        const Vector<T, 2> two = load<2>(bias + j);
        for_each_of(quad, [&](float& sum, int, int right) { sum += to_float(two.at[right]); });
      });
    else
      each([&](float& sum, int, int j) {
        if (j < left) sum += to_float(bias[j]);
      });
  }
  using enum Activation;
  if (out.activation == relu) each([](float& sum, int, int) { sum = activate(relu, sum); });
  const auto sigmoids = [&](auto power) {
    quads([&](Quad& quad, int, int) {
      const Quad y = {power(quad[0]), power(quad[1]), power(quad[2]), power(quad[3])};
      times_sigmoid(quad, y);
    });
  };
  if (out.activation == gelu) sigmoids([](float x) { return gelu_power(x); });
  if (out.activation == silu) sigmoids([](float x) { return silu_power(x); });
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

// Finished sums to d, by twos: pairs(f) calls f(sum, its neighbour, i, j); col is even, and so is
// every j.
template <class T, class Pairs>
__device__ __forceinline__ void store_pairs(const Epilogue<T>& out, std::int64_t batch,
                                            std::int64_t row, std::int64_t col, Pairs pairs) {
  if (sizeof(T) == 4 || out.to_float)
    detail::store_pairs_as<float>(out, batch, row, col, pairs);
  else
    detail::store_pairs_as<T>(out, batch, row, col, pairs);
}

}  // namespace warpath::matmul
