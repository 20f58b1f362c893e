// Normalisation of each channel of each image, and its gradient.
//   forward:  z = (x - mean) * rstd * weight + bias,  y = z, max(z, 0) or z * sigmoid(z) by `activation`
//             mean and rstd = 1 / sqrt(variance + eps) over the positions of one channel of one image
//   backward, with n = (x - mean) * rstd and dz = dy times the activation's slope at z:
//             dx = rstd * (dz * weight - mean of dz * weight - n * mean of dz * weight * n), means over the positions
//             dweight = sum of dz * n,  dbias = sum of dz over the images and positions of a channel
// The channels stand between the axes before them and those behind them: NCHW is (N, 1, C, H * W), NHWC is
// (N, H * W, C, 1). Without a weight it is 1, without a bias it is 0. A channel with NaN or an infinity gives NaN.
#pragma once
#include "core/host/rung.h"
#include "ops/norm/activation.h"
#include "ops/norm/group_shape.h"

namespace warpath::instance_norm {

using norm::Activation, norm::GroupShape;

struct Forward {
  static constexpr const char* op = "instance_norm";
  Tensor x, weight, bias, y, mean, rstd;
  double eps = 1e-5;
  Activation activation = Activation::none;
  Scratch scratch;

  GroupShape shape() const { return {x.shape[0], x.shape[1], x.shape[2], 1, x.shape[3]}; }

  static Contract contract() {
    return Contract(op,
                    "y = (x - mean) / sqrt(variance + eps) * weight + bias over each channel of "
                    "each image")
        .in("x", &Forward::x, {"batch", "outer", "channels", "inner"},
            {DType::f32, DType::f16, DType::bf16})
        .in("weight", &Forward::weight, {"channels"}, "x")
        .optional()
        .in("bias", &Forward::bias, {"channels"}, "x")
        .optional()
        .out("y", &Forward::y, {"batch", "outer", "channels", "inner"}, "x")
        .out("mean", &Forward::mean, {"batch", "channels"}, {DType::f32})
        .optional()
        .out("rstd", &Forward::rstd, {"batch", "channels"}, {DType::f32})
        .optional()
        .real("eps", &Forward::eps, 1e-5)
        .choice("activation", &Forward::activation, {"none", "relu", "silu"}, Activation::none)
        .scratch("scratch", &Forward::scratch)
        .after({"layer_norm"});
  }
};

struct Backward {
  static constexpr const char* op = "instance_norm_backward";
  Tensor x, dy, mean, rstd, weight, bias, dx, dweight, dbias;
  Activation activation = Activation::none;
  Scratch scratch;

  GroupShape shape() const { return {x.shape[0], x.shape[1], x.shape[2], 1, x.shape[3]}; }

  static Contract contract() {
    return Contract(op,
                    "gradients of instance_norm from x, dy and the mean and rstd of each channel")
        .in("x", &Backward::x, {"batch", "outer", "channels", "inner"},
            {DType::f32, DType::f16, DType::bf16})
        .in("dy", &Backward::dy, {"batch", "outer", "channels", "inner"}, "x")
        .in("mean", &Backward::mean, {"batch", "channels"}, {DType::f32})
        .in("rstd", &Backward::rstd, {"batch", "channels"}, {DType::f32})
        .in("weight", &Backward::weight, {"channels"}, "x")
        .optional()
        .in("bias", &Backward::bias, {"channels"}, "x")
        .optional()
        .out("dx", &Backward::dx, {"batch", "outer", "channels", "inner"}, "x")
        .out("dweight", &Backward::dweight, {"channels"}, "x")
        .optional()
        .out("dbias", &Backward::dbias, {"channels"}, "x")
        .optional()
        .choice("activation", &Backward::activation, {"none", "relu", "silu"}, Activation::none)
        .scratch("scratch", &Backward::scratch);
  }
};

}  // namespace warpath::instance_norm
