// The kernel of the rungs that store 16 bytes at once.
#pragma once
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "core/thread/vector.cuh"
#include "ops/random/noise/draw.cuh"

namespace warpath::noise {
namespace {

constexpr int vector_threads = 256;

// The last elements, fewer than a thread's; `from` is a multiple of four. Not inlined: code that one
// thread of the grid runs would cost all of them registers and instructions.
template <class T, Distribution D, bool Quick, class Key>
__device__ __noinline__ void one_by_one(T* y, const Draw<Key>& draw, std::int64_t from,
                                        std::int64_t n) {
  for (std::int64_t first = from; first < n; first += 4) {
    float drawn[4];
    draw_four<T, Quick>(drawn, draw, D, first / 4);
#pragma unroll
    for (int k = 0; k < 4; ++k)
      if (first + k < n) y[first + k] = from_float<T>(drawn[k]);
  }
}

// A thread makes Steps times 4 or 8 elements, a block's width apart, and stores Width at once. The
// groups of four are counted from the tensor's first element, whatever its address.
template <class T, int Width, int Steps, Distribution D, bool Quick, class Key>
__global__ void __launch_bounds__(vector_threads)
    vectorised(T* y, const __grid_constant__ Draw<Key> draw, std::int64_t n) {
  constexpr int E = Width < 4 ? 4 : Width;
  const std::int64_t first = (std::int64_t(blockIdx.x) * Steps * vector_threads + threadIdx.x) * E;
#pragma unroll
  for (int s = 0; s < Steps; ++s) {
    const std::int64_t i = first + s * vector_threads * E;
    if (i + E > n) return one_by_one<T, D, Quick>(y, draw, i, n);
    Vector<T, Width> out[E / Width];
#pragma unroll
    for (int g = 0; g < E; g += 4) {
      float drawn[4];
      draw_four<T, Quick>(drawn, draw, D, (i + g) / 4);
#pragma unroll
      for (int k = g; k < g + 4; ++k) out[k / Width].at[k % Width] = from_float<T>(drawn[k - g]);
    }
#pragma unroll
    for (int v = 0; v < E / Width; ++v) store<Width>(y + i + v * Width, out[v]);
  }
}

template <class T, int Width, int Steps, bool Quick, class Key>
void run_vectorised(const Args& args, const Draw<Key>& draw, cudaStream_t stream) {
  const std::int64_t n = args.y.size();
  const unsigned blocks = grid_x(n, vector_threads * Steps * (Width < 4 ? 4 : Width));
  const auto run = [&]<Distribution D>() {
    vectorised<T, Width, Steps, D, Quick>
        <<<blocks, vector_threads, 0, stream>>>(args.y.as<T>(), draw, n);
  };
  switch (args.distribution) {
    case Distribution::normal:
      return run.template operator()<Distribution::normal>();
    case Distribution::uniform:
      return run.template operator()<Distribution::uniform>();
    case Distribution::bernoulli:
      return run.template operator()<Distribution::bernoulli>();
  }
}

}  // namespace
}  // namespace warpath::noise
