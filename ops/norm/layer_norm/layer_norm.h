// Layer normalisation over the last axis, and its gradient.
//   forward:  y[r, c] = (x[r, c] - mean[r]) * rstd[r] * weight[c] + bias[c]
//             mean[r] = sum_c x[r, c] / cols,  rstd[r] = 1 / sqrt(sum_c (x[r, c] - mean[r])^2 / cols + eps)
//   backward, with n[r, c] = (x[r, c] - mean[r]) * rstd[r] and g[r, c] = dy[r, c] * weight[c]:
//             dx[r, c] = rstd[r] * (g[r, c] - sum_c g[r] / cols - n[r, c] * sum_c (g[r] n[r]) / cols)
//             dweight[c] = sum_r dy[r, c] * n[r, c],  dbias[c] = sum_r dy[r, c]
// Without a weight it is 1, without a bias it is 0. A row with NaN or an infinity gives NaN.
#pragma once
#include <string>

#include "core/host/rung.h"

namespace warpath::layer_norm {

struct Forward {
  static constexpr const char* op = "layer_norm";
  Tensor x, weight, bias, y, mean, rstd;
  double eps = 1e-5;

  static Contract contract() {
    return Contract(op, "y = (x - mean) / sqrt(variance + eps) * weight + bias over the last axis")
        .in("x", &Forward::x, {"rows...", "cols"}, {DType::f32, DType::f16, DType::bf16})
        .in("weight", &Forward::weight, {"cols"}, "x")
        .optional()
        .in("bias", &Forward::bias, {"cols"}, "x")
        .optional()
        .out("y", &Forward::y, {"rows...", "cols"}, "x")
        .out("mean", &Forward::mean, {"rows..."}, {DType::f32})
        .optional()
        .out("rstd", &Forward::rstd, {"rows..."}, {DType::f32})
        .optional()
        .real("eps", &Forward::eps, 1e-5)
        .after({"softmax"});
  }
};

struct Backward {
  static constexpr const char* op = "layer_norm_backward";
  Tensor x, dy, mean, rstd, weight, dx, dweight, dbias;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "gradients of layer_norm from x, dy and the mean and rstd of each row")
        .in("x", &Backward::x, {"rows...", "cols"}, {DType::f32, DType::f16, DType::bf16})
        .in("dy", &Backward::dy, {"rows...", "cols"}, "x")
        .in("mean", &Backward::mean, {"rows..."}, {DType::f32})
        .in("rstd", &Backward::rstd, {"rows..."}, {DType::f32})
        .in("weight", &Backward::weight, {"cols"}, "x")
        .optional()
        .out("dx", &Backward::dx, {"rows...", "cols"}, "x")
        .out("dweight", &Backward::dweight, {"cols"}, "x")
        .optional()
        .out("dbias", &Backward::dbias, {"cols"}, "x")
        .optional()
        .scratch("scratch", &Backward::scratch);
  }
};

// As measured on an H200: rows of 16-bit elements that do not all begin at a multiple of 16 bytes take one element per access
// in 01 to 05, and 03 was the fastest with 3073 columns.
inline std::string even_rows(const Forward& args) {
  const bool odd = size_of(args.x.dtype) == 2 && args.x.shape[1] % 8 != 0;
  return odd && args.x.shape[1] <= 4096
             ? "rows of 16-bit elements that start anywhere are faster by 03"
             : "";
}

}  // namespace warpath::layer_norm
