// Sixteen codes per lane and load, multiplied with all rows of x. `expand` makes floats of four codes in a word. Used by
// rungs 03 and 04.
#pragma once
#include "ops/quant/int8_matvec/problem.cuh"

namespace warpath::int8_matvec {

inline constexpr int warps = 4;  // of a block
inline constexpr int each = 16;  // codes of a lane per load

template <class T, int Rows, class Expand>
__device__ __forceinline__ void rows_at_once(const Problem<T>& p, Expand expand) {
  const std::int64_t j = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32;
  if (j >= p.n) return;
  constexpr int N = lanes_of_16<T>;
  float sum[Rows] = {};
#pragma unroll 2
  for (std::int64_t l = threadIdx.x % 32 * each; l < p.k; l += 32 * each) {
    const Vector<unsigned, 4> codes =
        load_once<4>(reinterpret_cast<const unsigned*>(p.codes + j * p.k + l));
    float w[each];
#pragma unroll
    for (int v = 0; v < 4; ++v) expand(codes.at[v], w + 4 * v);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      if (r >= p.rows) break;
#pragma unroll
      for (int v = 0; v < each; v += N) {
        const Vector<T, N> of_x = load<N>(p.x + r * p.k + l + v);
#pragma unroll
        for (int e = 0; e < N; ++e) sum[r] += to_float(of_x.at[e]) * w[v + e];
      }
    }
  }
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    if (r >= p.rows) break;
    sum[r] = warp_reduce(sum[r], Sum{});
    if (threadIdx.x % 32 == 0) p.put(sum[r], r, j);
  }
}

}  // namespace warpath::int8_matvec
