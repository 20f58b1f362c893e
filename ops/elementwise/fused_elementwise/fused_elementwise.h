// Four element-wise steps that often follow a matrix product, as one op:
//   y[r, c] = scale * (activation(x[r, c] + bias[c]) + residual[r, c])
// bias and residual may be left out. gelu is its tanh form, as in matmul. Every step is taken in float, and the result is
// rounded once.
#pragma once
#include "core/host/rung.h"

namespace warpath::fused_elementwise {

enum class Activation : int { none, relu, gelu, silu };

struct Args {
  static constexpr const char* op = "fused_elementwise";
  Tensor x, bias, residual, y;
  Activation activation = Activation::none;
  double scale = 1;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "y = scale * (activation(x + bias) + residual)")
        .in("x", &Args::x, {"rows...", "cols"}, {DType::f32, DType::f16, DType::bf16})
        .in("bias", &Args::bias, {"cols"}, "x")
        .optional()
        .in("residual", &Args::residual, {"rows...", "cols"}, "x")
        .optional()
        .out("y", &Args::y, {"rows...", "cols"}, "x")
        .in_place("x")
        .choice("activation", &Args::activation, {"none", "relu", "gelu", "silu"})
        .real("scale", &Args::scale, 1)
        .scratch("scratch", &Args::scratch)
        .after({"gelu", "swiglu"});
  }
};

}  // namespace warpath::fused_elementwise
