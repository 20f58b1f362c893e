// SwiGLU, the gated activation of Llama's feed-forward layer, and its gradient.
//   forward:  y     = silu(gate) * up                     silu(x) = x * s,  s = sigmoid(x)
//   backward: dgate = dy * up * s * (1 + gate * (1 - s))
//             dup   = dy * silu(gate)
// gate and up are two tensors, or the halves of one: where one matrix product made both, each row of x holds the
// gate first and then up.
#pragma once
#include "core/host/rung.h"

namespace warpath::swiglu {

struct Forward {
  static constexpr const char* op = "swiglu";
  Tensor gate, up, y;

  static Contract contract() {
    return Contract(op, "y = silu(gate) * up")
        .in("gate", &Forward::gate, {"n..."}, {DType::f32, DType::f16, DType::bf16})
        .in("up", &Forward::up, {"n..."}, "gate")
        .out("y", &Forward::y, {"n..."}, "gate")
        .in_place("gate")
        .after({"silu"});
  }
};

struct Backward {
  static constexpr const char* op = "swiglu_backward";
  Tensor gate, up, dy, dgate, dup;

  static Contract contract() {
    return Contract(op, "dgate, dup = gradient of silu(gate) * up from gate, up and dy")
        .in("gate", &Backward::gate, {"n..."}, {DType::f32, DType::f16, DType::bf16})
        .in("up", &Backward::up, {"n..."}, "gate")
        .in("dy", &Backward::dy, {"n..."}, "gate")
        .out("dgate", &Backward::dgate, {"n..."}, "gate")
        .out("dup", &Backward::dup, {"n..."}, "gate");
  }
};

struct Packed {
  static constexpr const char* op = "swiglu_packed";
  Tensor x, y;

  static Contract contract() {
    return Contract(op, "y = silu(x[…, 0, :]) * x[…, 1, :]: gate and up packed in each row")
        .in("x", &Packed::x, {"rows...", "2", "cols"}, {DType::f32, DType::f16, DType::bf16})
        .out("y", &Packed::y, {"rows...", "cols"}, "x");
  }
};

struct PackedBackward {
  static constexpr const char* op = "swiglu_packed_backward";
  Tensor x, dy, dx;

  static Contract contract() {
    return Contract(op, "dx = gradient of swiglu_packed from x and dy")
        .in("x", &PackedBackward::x, {"rows...", "2", "cols"},
            {DType::f32, DType::f16, DType::bf16})
        .in("dy", &PackedBackward::dy, {"rows...", "cols"}, "x")
        .out("dx", &PackedBackward::dx, {"rows...", "2", "cols"}, "x");
  }
};

}  // namespace warpath::swiglu
