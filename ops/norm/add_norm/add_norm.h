// The residual addition of a transformer and the normalisation behind it, and their gradient.
//   forward:  s[r, c] = x[r, c] + residual[r, c], rounded to their type
//             y = layer_norm(s, weight, bias) or rms_norm(s, weight), by `kind`
//   backward: dx = the norm's gradient at s for dy, plus ds; it is the gradient of residual too.
//             dweight and dbias as in layer_norm and rms_norm
// s may be written over residual, and y over x. Without a weight it is 1, without a bias it is 0. RMS
// norm has no mean: it is 0 there.
#pragma once
#include "core/host/rung.h"

namespace warpath::add_norm {

enum class Kind { layer, rms };

struct Forward {
  static constexpr const char* op = "add_norm";
  Tensor x, residual, weight, bias, y, s, mean, rstd;
  Kind kind = Kind::layer;
  double eps = 1e-5;

  static Contract contract() {
    return Contract(op, "s = x + residual, y = layer_norm(s) or rms_norm(s) over the last axis")
        .in("x", &Forward::x, {"rows...", "cols"}, {DType::f32, DType::f16, DType::bf16})
        .in("residual", &Forward::residual, {"rows...", "cols"}, "x")
        .in("weight", &Forward::weight, {"cols"}, "x")
        .optional()
        .in("bias", &Forward::bias, {"cols"}, "x")
        .optional()
        .out("y", &Forward::y, {"rows...", "cols"}, "x")
        .in_place("x")
        .out("s", &Forward::s, {"rows...", "cols"}, "x")
        .in_place("residual")
        .out("mean", &Forward::mean, {"rows..."}, {DType::f32})
        .optional()
        .out("rstd", &Forward::rstd, {"rows..."}, {DType::f32})
        .optional()
        .choice("kind", &Forward::kind, {"layer", "rms"}, Kind::layer)
        .real("eps", &Forward::eps, 1e-5)
        .after({"layer_norm", "rms_norm"});
  }
};

struct Backward {
  static constexpr const char* op = "add_norm_backward";
  Tensor s, dy, mean, rstd, ds, weight, dx, dweight, dbias;
  Scratch scratch;
  Kind kind = Kind::layer;

  static Contract contract() {
    return Contract(op,
                    "gradients of add_norm from its s, dy, ds and the mean and rstd of each row")
        .in("s", &Backward::s, {"rows...", "cols"}, {DType::f32, DType::f16, DType::bf16})
        .in("dy", &Backward::dy, {"rows...", "cols"}, "s")
        .in("mean", &Backward::mean, {"rows..."}, {DType::f32})
        .in("rstd", &Backward::rstd, {"rows..."}, {DType::f32})
        .in("ds", &Backward::ds, {"rows...", "cols"}, "s")
        .optional()
        .in("weight", &Backward::weight, {"cols"}, "s")
        .optional()
        .out("dx", &Backward::dx, {"rows...", "cols"}, "s")
        .out("dweight", &Backward::dweight, {"cols"}, "s")
        .optional()
        .out("dbias", &Backward::dbias, {"cols"}, "s")
        .optional()
        .choice("kind", &Backward::kind, {"layer", "rms"}, Kind::layer)
        .scratch("scratch", &Backward::scratch);
  }
};

}  // namespace warpath::add_norm
