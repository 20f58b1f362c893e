// Layer normalisation whose scale and shift are given per image, the gated residual addition that goes with it, and their
// gradients. A diffusion transformer (Peebles and Xie 2023, "adaLN") computes all three from the time and the class.
//   forward:  y[i, t, c] = n[i, t, c] * (1 + scale[i, c]) + shift[i, c],  n = (x - mean) * rstd over the last axis
//             mean and rstd of each token as in layer_norm
//   backward, with g = dy * (1 + scale):
//             dx[i, t, c] = rstd * (g - sum_c g / cols - n * sum_c (g n) / cols) + ds[i, t, c]
//             dscale[i, c] = sum_t dy[i, t, c] * n[i, t, c],  dshift[i, c] = sum_t dy[i, t, c]
//   gate:     y[i, t, c] = residual[i, t, c] + gate[i, c] * x[i, t, c]
//   its backward: dx = gate * dy,  dgate[i, c] = sum_t dy[i, t, c] * x[i, t, c];  the gradient of residual is dy itself
// scale, shift and gate may lie anywhere: they are columns of one product, so that a row of each begins a few rows' widths
// behind the one before. ds, the gradient that x has from elsewhere, may be left out.
#pragma once
#include "core/host/rung.h"

namespace warpath::adaptive_norm {

struct Forward {
  static constexpr const char* op = "adaptive_norm";
  Tensor x, scale, shift, y, mean, rstd;
  double eps = 1e-6;

  static Contract contract() {
    return Contract(op, "y = layer_norm(x) * (1 + scale) + shift, scale and shift per image")
        .in("x", &Forward::x, {"images", "tokens", "cols"}, {DType::f32, DType::f16, DType::bf16})
        .in("scale", &Forward::scale, {"images", "cols"}, "x")
        .strided()
        .in("shift", &Forward::shift, {"images", "cols"}, "x")
        .strided()
        .out("y", &Forward::y, {"images", "tokens", "cols"}, "x")
        .out("mean", &Forward::mean, {"images", "tokens"}, {DType::f32})
        .optional()
        .out("rstd", &Forward::rstd, {"images", "tokens"}, {DType::f32})
        .optional()
        .real("eps", &Forward::eps, 1e-6)
        .after({"layer_norm", "add_norm"});
  }
};

struct Backward {
  static constexpr const char* op = "adaptive_norm_backward";
  Tensor x, dy, mean, rstd, scale, ds, dx, dscale, dshift;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "gradients of adaptive_norm; those of scale and shift are sums per image")
        .in("x", &Backward::x, {"images", "tokens", "cols"}, {DType::f32, DType::f16, DType::bf16})
        .in("dy", &Backward::dy, {"images", "tokens", "cols"}, "x")
        .in("mean", &Backward::mean, {"images", "tokens"}, {DType::f32})
        .in("rstd", &Backward::rstd, {"images", "tokens"}, {DType::f32})
        .in("scale", &Backward::scale, {"images", "cols"}, "x")
        .strided()
        .in("ds", &Backward::ds, {"images", "tokens", "cols"}, "x")
        .optional()
        .out("dx", &Backward::dx, {"images", "tokens", "cols"}, "x")
        .out("dscale", &Backward::dscale, {"images", "cols"}, "x")
        .strided()
        .out("dshift", &Backward::dshift, {"images", "cols"}, "x")
        .strided()
        .scratch("scratch", &Backward::scratch);
  }
};

struct Gate {
  static constexpr const char* op = "gated_add";
  Tensor residual, x, gate, y;

  static Contract contract() {
    return Contract(op, "y = residual + gate * x, the gate per image")
        .in("residual", &Gate::residual, {"images", "tokens", "cols"},
            {DType::f32, DType::f16, DType::bf16})
        .in("x", &Gate::x, {"images", "tokens", "cols"}, "residual")
        .in("gate", &Gate::gate, {"images", "cols"}, "residual")
        .strided()
        .out("y", &Gate::y, {"images", "tokens", "cols"}, "residual")
        .in_place("residual")
        .after({"adaptive_norm"});
  }
};

struct GateBackward {
  static constexpr const char* op = "gated_add_backward";
  Tensor dy, x, gate, dx, dgate;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "gradients of gated_add; that of the gate is a sum per image")
        .in("dy", &GateBackward::dy, {"images", "tokens", "cols"},
            {DType::f32, DType::f16, DType::bf16})
        .in("x", &GateBackward::x, {"images", "tokens", "cols"}, "dy")
        .in("gate", &GateBackward::gate, {"images", "cols"}, "dy")
        .strided()
        .out("dx", &GateBackward::dx, {"images", "tokens", "cols"}, "dy")
        .out("dgate", &GateBackward::dgate, {"images", "cols"}, "dy")
        .strided()
        .scratch("scratch", &GateBackward::scratch);
  }
};

}  // namespace warpath::adaptive_norm
