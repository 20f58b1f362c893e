#pragma once

// The product that a warp computes together: gathered from the lanes' fragments, multiplied by one
// lane, given back.

#include <simt/fault.h>
#include <simt/warp.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

namespace simt {

// TF32 has ten bits behind the point; the hardware takes the upper bits of a float.
inline float truncate_tf32(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  bits &= 0xffffe000u;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// d = a * b + c. Products of small floats are exact in double, and so nearly are their sums: they
// are rounded once, at the end. Doubles are multiplied and added with one rounding a step.
template <int M, int N, int K, class In, class Out>
void multiply_dense(const In (&a)[M][K], const In (&b)[K][N], Out (&d)[M][N]) {
  using Sum = std::conditional_t<std::is_same_v<Out, float>, double,
                                 std::conditional_t<std::is_same_v<Out, double>, double, Out>>;
  for (int m = 0; m < M; ++m) {
    Sum row[N];
    for (int n = 0; n < N; ++n) row[n] = d[m][n];
    for (int k = 0; k < K; ++k) {
      const In left = a[m][k];
      for (int n = 0; n < N; ++n) {
        if constexpr (std::is_same_v<In, double>) {
          row[n] = std::fma(left, b[k][n], row[n]);
        } else {
          row[n] += left * b[k][n];
        }
      }
    }
    for (int n = 0; n < N; ++n) d[m][n] = static_cast<Out>(row[n]);
  }
}

[[noreturn, gnu::cold, gnu::noinline]] inline void lanes_missing(unsigned lanes, Site site) {
  fault(cudaErrorIllegalInstruction,
        "a matrix operation takes all 32 lanes of a warp; " +
            std::to_string(32 - __builtin_popcount(lanes)) + " are missing",
        site);
}

// Brings the lanes' data together and runs the work once.
inline void matrix_operation(void* data, WarpWork work, Site site) {
  const unsigned lanes = warp_together(data, work, site);
  if (lanes != 0xffffffffu) lanes_missing(lanes, site);
}

}  // namespace simt
