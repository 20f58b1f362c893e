// GELU, and its gradient.
//   forward:  y[i]  = x[i] * P(x[i])
//   backward: dx[i] = dy[i] * (P(x[i]) + x[i] * P'(x[i]))
// approximate "none": P(x) = (1 + erf(x / sqrt(2))) / 2, the share of the normal distribution below x.
// approximate "tanh": P(x) = (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) / 2.
// Infinity gives what these formulas give, as in PyTorch: NaN for -inf.
#pragma once
#include "core/host/rung.h"

namespace warpath::gelu {

enum class Approximate : int { none, tanh };

struct Forward {
  static constexpr const char* op = "gelu";
  Tensor x, y;
  Approximate approximate = Approximate::none;

  static Contract contract() {
    return Contract(op, "y = x * P(x), P the normal distribution or its tanh approximation")
        .in("x", &Forward::x, {"n..."}, {DType::f32, DType::f16, DType::bf16})
        .out("y", &Forward::y, {"n..."}, "x")
        .in_place("x")
        .choice("approximate", &Forward::approximate, {"none", "tanh"})
        .after({"relu", "silu"});
  }
};

struct Backward {
  static constexpr const char* op = "gelu_backward";
  Tensor x, dy, dx;
  Approximate approximate = Approximate::none;

  static Contract contract() {
    return Contract(op, "dx = gradient of gelu from x and dy")
        .in("x", &Backward::x, {"n..."}, {DType::f32, DType::f16, DType::bf16})
        .in("dy", &Backward::dy, {"n..."}, "x")
        .out("dx", &Backward::dx, {"n..."}, "x")
        .in_place("dy")
        .choice("approximate", &Backward::approximate, {"none", "tanh"});
  }
};

}  // namespace warpath::gelu
