// Pairs of rotary position embedding turned in vectors of 16 bytes.
#pragma once
#include "core/thread/convert.cuh"
#include "core/thread/vector.cuh"

namespace warpath::rope {
namespace {

// A vector as the machine moves it. Loaded data stays whole until it is used: taken apart at the load,
// every 16-bit element would hold a register of its own, and the thread would wait for it there.
template <class T, int N>
using Whole = typename detail::Word<sizeof(T) * N>::type;

// N pairs in two vectors: element i of the one with element i of the other, or neighbours in each.
template <class T, int N, bool Neighbours>
__device__ __forceinline__ void turn_vectors(Whole<T, N>& a, Whole<T, N>& b, const float* cosines,
                                             const float* sines) {
  constexpr int W = N < 4 ? N : 4;  // floats per access of shared memory
  using V = Vector<T, N>;
  V va = reinterpret_cast<const V&>(a), vb = reinterpret_cast<const V&>(b);
  float x[2 * N];
#pragma unroll
  for (int i = 0; i < N; ++i) {
    x[i] = to_float(va.at[i]);
    x[N + i] = to_float(vb.at[i]);
  }
#pragma unroll
  for (int i = 0; i < N; i += W) {
    const Vector<float, W> c = load<W>(cosines + i), s = load<W>(sines + i);
#pragma unroll
    for (int w = 0; w < W; ++w) {
      float& one = x[Neighbours ? 2 * (i + w) : i + w];
      float& two = x[Neighbours ? 2 * (i + w) + 1 : N + i + w];
      const float turned = one * c.at[w] - two * s.at[w];
      two = two * c.at[w] + one * s.at[w];
      one = turned;
    }
  }
#pragma unroll
  for (int i = 0; i < N; ++i) {
    va.at[i] = from_float<T>(x[i]);
    vb.at[i] = from_float<T>(x[N + i]);
  }
  a = reinterpret_cast<const Whole<T, N>&>(va);
  b = reinterpret_cast<const Whole<T, N>&>(vb);
}

// load_kept() of a whole vector.
template <int N, class T>
__device__ __forceinline__ Whole<T, N> load_whole(const T* p, bool there) {
  const Vector<T, N> v = load_kept<N>(p, there);
  return reinterpret_cast<const Whole<T, N>&>(v);
}

}  // namespace
}  // namespace warpath::rope
