// The kernel of the rungs that move 16 bytes per access, forward and backward.
#pragma once
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "core/thread/vector.cuh"
#include "ops/elementwise/dropout/mask.cuh"

namespace warpath::dropout {
namespace {

constexpr int vector_threads = 256;

// Elements that a thread handles together. They begin at a multiple of four and are whole calls of
// the generator, whatever the width of a load: the mask knows the index in the tensor, not the address.
template <int Width>
constexpr int together = Width < 4 ? 4 : Width;

// The last n % E elements, one by one; `from` is a multiple of four. Not inlined: code that one thread
// of the grid runs would cost all of them registers and instructions.
template <class T, class Key>
__device__ __noinline__ void one_by_one(const T* x, const T* residual, T* y, const Mask<Key>& mask,
                                        std::int64_t from, std::int64_t n) {
  for (std::int64_t first = from; first < n; first += 4) {
    const PhiloxWords words = mask.words(first / 4);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const std::int64_t i = first + k;
      if (i >= n) return;
      const float kept = mask.apply(to_float(x[i]), words.at[k]);
      y[i] = from_float<T>(residual ? to_float(residual[i]) + kept : kept);
    }
  }
}

// A thread handles Steps times `together` elements, a block's width apart. Adds: there may be a
// residual; one that is left out then counts as zeros.
template <class T, int Width, int Steps, bool Adds, class Key>
__global__ void __launch_bounds__(vector_threads)
    vectorised(const T* x, const T* residual, T* y, const __grid_constant__ Mask<Key> mask,
               std::int64_t n) {
  constexpr int E = together<Width>, loads = E / Width;
  const std::int64_t first = (std::int64_t(blockIdx.x) * Steps * vector_threads + threadIdx.x) * E;
  const auto at = [&](int step) { return first + step * vector_threads * E; };

  // All loads first: the words are computed while they are in flight.
  Vector<T, Width> in[Steps][loads], add[Steps][loads];
#pragma unroll
  for (int s = 0; s < Steps; ++s) {
    const std::int64_t i = at(s);
#pragma unroll
    for (int v = 0; v < loads; ++v) {
      in[s][v] = load_kept<Width>(x + i + v * Width, i + E <= n);
      if constexpr (Adds)
        add[s][v] = load_kept<Width>(residual + i + v * Width, residual && i + E <= n);
    }
  }
#pragma unroll
  for (int s = 0; s < Steps; ++s) {
    const std::int64_t i = at(s);
    if (i + E > n) return one_by_one(x, Adds ? residual : nullptr, y, mask, i, n);
#pragma unroll
    for (int g = 0; g < E; g += 4) {
      const PhiloxWords words = mask.words((i + g) / 4);
#pragma unroll
      for (int k = g; k < g + 4; ++k) {
        T& element = in[s][k / Width].at[k % Width];
        float result = mask.apply(to_float(element), words.at[k - g]);
        if constexpr (Adds) result += to_float(add[s][k / Width].at[k % Width]);
        element = from_float<T>(result);
      }
    }
#pragma unroll
    for (int v = 0; v < loads; ++v) store<Width>(y + i + v * Width, in[s][v]);
  }
}

template <class T, int Width, int Steps, bool Adds, class Key>
void run_vectorised(const Tensor& x, const Tensor& residual, const Tensor& y, const Mask<Key>& mask,
                    cudaStream_t stream) {
  const unsigned blocks = grid_x(x.size(), vector_threads * Steps * together<Width>);
  vectorised<T, Width, Steps, Adds><<<blocks, vector_threads, 0, stream>>>(
      x.as<T>(), residual.as<T>(), y.as<T>(), mask, x.size());
}

inline bool all_aligned_16(const Tensor& x, const Tensor& residual, const Tensor& y) {
  return x.is_aligned(16) && residual.is_aligned(16) && y.is_aligned(16);
}

}  // namespace
}  // namespace warpath::dropout
