// Normalisation by the root of the mean square over the last axis, and its gradient.
//   forward:  y[r, c] = x[r, c] * rstd[r] * weight[c],  rstd[r] = 1 / sqrt(sum_c x[r, c]^2 / cols + eps)
//   backward, with n[r, c] = x[r, c] * rstd[r] and g[r, c] = dy[r, c] * weight[c]:
//             dx[r, c] = rstd[r] * (g[r, c] - n[r, c] * sum_c (g[r] n[r]) / cols)
//             dweight[c] = sum_r dy[r, c] * n[r, c]
// Without a weight it is 1. A row with NaN gives NaN; one with an infinity gives 0, and NaN in its place.
#pragma once
#include <string>

#include "core/host/rung.h"

namespace warpath::rms_norm {

struct Forward {
  static constexpr const char* op = "rms_norm";
  Tensor x, weight, y, rstd;
  Scratch scratch;
  double eps = 1e-6;

  static Contract contract() {
    return Contract(op, "y = x / sqrt(mean of x^2 + eps) * weight over the last axis")
        .in("x", &Forward::x, {"rows...", "cols"}, {DType::f32, DType::f16, DType::bf16})
        .in("weight", &Forward::weight, {"cols"}, "x")
        .optional()
        .out("y", &Forward::y, {"rows...", "cols"}, "x")
        .out("rstd", &Forward::rstd, {"rows..."}, {DType::f32})
        .optional()
        .real("eps", &Forward::eps, 1e-6)
        .scratch("scratch", &Forward::scratch)
        .after({"layer_norm"});
  }
};

struct Backward {
  static constexpr const char* op = "rms_norm_backward";
  Tensor x, dy, rstd, weight, dx, dweight;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "gradients of rms_norm from x, dy and the rstd of each row")
        .in("x", &Backward::x, {"rows...", "cols"}, {DType::f32, DType::f16, DType::bf16})
        .in("dy", &Backward::dy, {"rows...", "cols"}, "x")
        .in("rstd", &Backward::rstd, {"rows..."}, {DType::f32})
        .in("weight", &Backward::weight, {"cols"}, "x")
        .optional()
        .out("dx", &Backward::dx, {"rows...", "cols"}, "x")
        .out("dweight", &Backward::dweight, {"cols"}, "x")
        .optional()
        .scratch("scratch", &Backward::scratch);
  }
};

// Which rungs are preferred, as measured on an H200. Rows of 16-bit elements that do not all begin at a multiple of 16 bytes
// take one element per access in 01 to 05, of which 02 was the fastest.
inline std::string even_rows(const Forward& args) {
  const bool odd = size_of(args.x.dtype) == 2 && args.x.shape[1] % 8 != 0;
  return odd ? "rows of 16-bit elements that start anywhere are faster by 02" : "";
}

}  // namespace warpath::rms_norm
