// Softmax over the last axis, and its gradient.
//   forward:  y[r, c] = exp(x[r, c] - max_c x[r]) / sum_c exp(x[r, c] - max_c x[r])
//   backward: dx[r, c] = y[r, c] * (dy[r, c] - sum_c y[r, c] dy[r, c])
// -inf gives 0; a row with NaN, with +inf, or of nothing but -inf gives NaN, as in PyTorch.
#pragma once
#include "core/host/rung.h"

namespace warpath::softmax {

struct Forward {
  static constexpr const char* op = "softmax";
  Tensor x, y;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "y = softmax(x) over the last axis")
        .in("x", &Forward::x, {"rows...", "cols"}, {DType::f32, DType::f16, DType::bf16})
        .out("y", &Forward::y, {"rows...", "cols"}, "x")
        .scratch("scratch", &Forward::scratch)
        .after({"reduce"});
  }
};

struct Backward {
  static constexpr const char* op = "softmax_backward";
  Tensor y, dy, dx;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "dx = gradient of softmax from its result y and dy")
        .in("y", &Backward::y, {"rows...", "cols"}, {DType::f32, DType::f16, DType::bf16})
        .in("dy", &Backward::dy, {"rows...", "cols"}, "y")
        .out("dx", &Backward::dx, {"rows...", "cols"}, "y")
        .scratch("scratch", &Backward::scratch);
  }
};

}  // namespace warpath::softmax
