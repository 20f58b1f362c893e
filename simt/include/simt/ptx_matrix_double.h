#pragma once

// PTX's mma.sync of doubles: m8n8k4 (sm_80) and m16n8k4, k8, k16 (sm_90). Each element is a chain
// of fused multiply-adds, k upwards, in the rounding mode that the instruction names.

#include <simt/math_rounding.h>
#include <simt/matrix_layout.h>
#include <simt/matrix_multiply.h>
#include <simt/ptx_values.h>

namespace simt::ptx {

enum class Rounding { rn, rz, rm, rp };

template <int M, int K, Rounding Mode>
struct DoubleOperands {
  static constexpr int a_count = M * K / 32, b_count = K / 4, c_count = M / 4;

  Array<double, a_count> a;
  Array<double, b_count> b;
  Array<double, c_count> c;

  // As of operands of four bytes; with eight rows there is no second one.
  static constexpr Place a_at(int lane, int i) {
    return M == 8 ? Place{lane / 4, lane % 4} : a_place_tf32(lane, i);
  }
  static constexpr Place b_at(int lane, int i) { return {lane % 4 + i * 4, lane / 4}; }

  static void multiply(void* const* data) {
    double a[M][K], b[K][8];
    for (int lane = 0; lane < 32; ++lane) {
      const auto& mine = *static_cast<const DoubleOperands*>(data[lane]);
      for (int i = 0; i < a_count; ++i) a[a_at(lane, i).row][a_at(lane, i).column] = mine.a[i];
      for (int i = 0; i < b_count; ++i) b[b_at(lane, i).row][b_at(lane, i).column] = mine.b[i];
    }
    for (int lane = 0; lane < 32; ++lane) {
      auto& mine = *static_cast<DoubleOperands*>(data[lane]);
      for (int i = 0; i < c_count; ++i) {
        const Place at = accumulator_place<M, 8>(lane, i);
        double& sum = mine.c.value[i];
        for (int k = 0; k < K; ++k) sum = fused(a[at.row][k], b[k][at.column], sum);
      }
    }
  }

  static double fused(double x, double y, double z) {
    if constexpr (Mode == Rounding::rn) return __fma_rn(x, y, z);
    if constexpr (Mode == Rounding::rz) return __fma_rz(x, y, z);
    if constexpr (Mode == Rounding::rm) return __fma_rd(x, y, z);
    if constexpr (Mode == Rounding::rp) return __fma_ru(x, y, z);
  }
};

template <int M, int K, Rounding Mode, int A, int B, int C>
Array<double, C> mma_doubles(const Array<double, A>& a, const Array<double, B>& b,
                             const Array<double, C>& c, SIMT_HERE) {
  using Operands = DoubleOperands<M, K, Mode>;
  static_assert(A == Operands::a_count && B == Operands::b_count && C == Operands::c_count,
                "mma: wrong number of registers");
  Operands operands{a, b, c};
  matrix_operation(&operands, &Operands::multiply, {file, line});
  return operands.c;
}

}  // namespace simt::ptx
