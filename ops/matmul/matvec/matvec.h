// y = x @ w^T + bias for a few rows of x: a linear layer when a model writes one token after the
// other.
//   y[r, j] = sum_l x[r, l] w[j, l] + bias[j]
// Sums are taken in float and y is rounded once.
//
// w_is_constant: no kernel writes w that may still run when this call is launched, as in a model that writes text. Then w may
// be read before the kernels before this one on the stream have ended.
#pragma once
#include "core/host/rung.h"

namespace warpath::matvec {

struct Args {
  static constexpr const char* op = "matvec";
  Tensor x, w, bias, y;
  bool w_is_constant = false;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "y = x @ w^T + bias, for few rows of x")
        .in("x", &Args::x, {"rows...", "k"}, {DType::f32, DType::f16, DType::bf16})
        .in("w", &Args::w, {"n", "k"}, "x")
        .in("bias", &Args::bias, {"n"}, "x")
        .optional()
        .out("y", &Args::y, {"rows...", "n"}, "x")
        .boolean("w_is_constant", &Args::w_is_constant, false)
        .scratch("scratch", &Args::scratch)
        .after({"matmul"});
  }

  std::int64_t rows() const { return x.shape[0]; }
  std::int64_t k() const { return x.shape[1]; }
  std::int64_t n() const { return w.shape[0]; }
};

}  // namespace warpath::matvec
