// SiLU, also called swish, and its gradient.
//   forward:  y[i]  = x[i] * s             s = sigmoid(x[i]) = 1 / (1 + exp(-x[i]))
//   backward: dx[i] = dy[i] * s * (1 + x[i] * (1 - s))
// Infinity gives what these formulas give, as in PyTorch: NaN for -inf.
#pragma once
#include "core/host/rung.h"

namespace warpath::silu {

struct Forward {
  static constexpr const char* op = "silu";
  Tensor x, y;

  static Contract contract() {
    return Contract(op, "y = x * sigmoid(x)")
        .in("x", &Forward::x, {"n..."}, {DType::f32, DType::f16, DType::bf16})
        .out("y", &Forward::y, {"n..."}, "x")
        .in_place("x")
        .after({"relu"});
  }
};

struct Backward {
  static constexpr const char* op = "silu_backward";
  Tensor x, dy, dx;

  static Contract contract() {
    return Contract(op, "dx = gradient of x * sigmoid(x) from x and dy")
        .in("x", &Backward::x, {"n..."}, {DType::f32, DType::f16, DType::bf16})
        .in("dy", &Backward::dy, {"n..."}, "x")
        .out("dx", &Backward::dx, {"n..."}, "x")
        .in_place("dy");
  }
};

}  // namespace warpath::silu
