// The rectifier, and its gradient.
//   forward:  y[i]  = x[i] where x[i] > 0, otherwise 0
//   backward: dx[i] = dy[i] where x[i] > 0, otherwise 0
// NaN in x gives NaN, and lets dy pass, as in PyTorch.
#pragma once
#include "core/host/rung.h"

namespace warpath::relu {

struct Forward {
  static constexpr const char* op = "relu";
  Tensor x, y;

  static Contract contract() {
    return Contract(op, "y = max(x, 0)")
        .in("x", &Forward::x, {"n..."}, {DType::f32, DType::f16, DType::bf16})
        .out("y", &Forward::y, {"n..."}, "x")
        .in_place("x")
        .after({"vector_add"});
  }
};

struct Backward {
  static constexpr const char* op = "relu_backward";
  Tensor x, dy, dx;

  static Contract contract() {
    return Contract(op, "dx = dy where x > 0, otherwise 0")
        .in("x", &Backward::x, {"n..."}, {DType::f32, DType::f16, DType::bf16})
        .in("dy", &Backward::dy, {"n..."}, "x")
        .out("dx", &Backward::dx, {"n..."}, "x")
        .in_place("dy");
  }
};

}  // namespace warpath::relu
