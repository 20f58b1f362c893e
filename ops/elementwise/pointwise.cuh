// y[i] = f(x[i], …): the loop that element-wise ops share, for one input or several, one result or two.
//
// A thread computes 16 bytes of y. Where all arrays start equally far from a 16-byte boundary it moves
// them as one vector, after a few first elements up to that boundary. Where they do not, it moves one
// element at a time, the threads of a block side by side: all loads of a thread are issued before its
// first store, so the same number of bytes is in flight. y may be one of the inputs: each thread reads
// what it overwrites before it writes.
#pragma once
#include <type_traits>

#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "core/thread/vector.cuh"

namespace warpath::pointwise {

// 128 threads for f32 and 256 for the 16-bit types: as in rung 03 of vector_add.
template <class T>
inline constexpr int threads = 512 / sizeof(T);

// Where the results go: f returns a float for one of them, a float2 for two.
template <class T, int M>
struct Outputs {
  T* at[M];
};

template <int N>
__device__ __forceinline__ void put(float (&values)[1][N], int k, float result) {
  values[0][k] = result;
}
template <int N>
__device__ __forceinline__ void put(float (&values)[2][N], int k, float2 results) {
  values[0][k] = results.x;
  values[1][k] = results.y;
}

// Two 16-bit results are rounded by one instruction into the register that they share.
template <class T, int N>
__device__ __forceinline__ Vector<T, N> round_all(const float (&values)[N]) {
  Vector<T, N> v;
#pragma unroll
  for (int k = 0; k < N; ++k) {
    if constexpr (N == 1 || std::is_same_v<T, float>) {
      v.at[k] = from_float<T>(values[k]);
    } else if (k % 2 == 0) {
      if constexpr (std::is_same_v<T, __half>)
        reinterpret_cast<__half2&>(v.at[k]) = __floats2half2_rn(values[k], values[k + 1]);
      else
        reinterpret_cast<__nv_bfloat162&>(v.at[k]) =
            __floats2bfloat162_rn(values[k], values[k + 1]);
    }
  }
  return v;
}

// One input's vectors of one thread.
template <int N, int Steps, class T>
struct Loaded {
  Vector<T, N> at[Steps];

  __device__ __forceinline__ Loaded(const T* x, std::int64_t first, std::int64_t end) {
#pragma unroll
    for (int s = 0; s < Steps; ++s) {
      const std::int64_t i = first + s * threads<T> * N;
      at[s] = load_kept<N>(x + i, i < end);
    }
  }
};

// The results of N elements of each input, at y + i.
template <int N, class T, int M, class F, class... V>
__device__ __forceinline__ void compute(const F& f, Outputs<T, M> y, std::int64_t i,
                                        const V&... x) {
  float values[M][N];
#pragma unroll
  for (int k = 0; k < N; ++k) put(values, k, f(to_float(x.at[k])...));
#pragma unroll
  for (int m = 0; m < M; ++m) store<N>(y.at[m] + i, round_all<T>(values[m]));
}

template <int N, int Steps, class T, int M, class F, class... V>
__device__ __forceinline__ void compute_all(const F& f, Outputs<T, M> y, std::int64_t first,
                                            std::int64_t end, const V&... loaded) {
#pragma unroll
  for (int s = 0; s < Steps; ++s)
    if (const std::int64_t i = first + s * threads<T> * N; i < end)
      compute<N>(f, y, i, loaded.at[s]...);
}

// The pointers are those of the first whole vector: `head` elements lie before it, n from it on. With pointers to the
// very first element and an index of head + i, nvcc split the vectors' stores in four.
template <int N, class T, int M, class F, class... X>
__global__ void __launch_bounds__(threads<T>)
    map(F f, Outputs<T, M> y, std::int64_t n, int head, const X*... x) {
  constexpr int steps = lanes_of_16<T> / N;
  const std::int64_t body = n / N * N;  // elements in whole vectors
  constexpr int tile = threads<T> * lanes_of_16<T>;
  const std::int64_t first = std::int64_t(blockIdx.x) * tile + threadIdx.x * N;
  compute_all<N, steps>(f, y, first, body, Loaded<N, steps, X>(x, first, body)...);

  // Before and behind the vectors, fewer than 2 N elements: one each.
  const int edge = int(threadIdx.x) - head;
  if (N > 1 && blockIdx.x == gridDim.x - 1 && edge < n - body) {
    const std::int64_t i = edge < 0 ? edge : body + edge;
    compute<1>(f, y, i, load<1>(x + i)...);
  }
}

// Elements from `p` to the next 16-byte boundary.
template <class T>
int to_boundary(const T* p) {
  const auto past = reinterpret_cast<std::uintptr_t>(p) % 16;
  return static_cast<int>((16 - past) % 16 / sizeof(T));
}

// f takes a float for each input.
template <class T, int M, class F, class... X>
void launch(F f, Outputs<T, M> y, std::int64_t n, cudaStream_t stream, const X*... x) {
  if (n == 0) return;
  constexpr int N = lanes_of_16<T>;
  const unsigned blocks = grid_x(n, threads<T> * N);
  const int to = to_boundary(y.at[0]), head = static_cast<int>(std::min<std::int64_t>(to, n));
  if (((to_boundary(x) == to) && ...) && to_boundary(y.at[M - 1]) == to) {
    for (T*& at : y.at) at += head;
    map<N><<<blocks, threads<T>, 0, stream>>>(f, y, n - head, head, (x + head)...);
  } else {
    map<1><<<blocks, threads<T>, 0, stream>>>(f, y, n, 0, x...);
  }
}
template <class T, class F, class... X>
void launch(F f, T* y, std::int64_t n, cudaStream_t stream, const X*... x) {
  launch(f, Outputs<T, 1>{{y}}, n, stream, x...);
}

}  // namespace warpath::pointwise
