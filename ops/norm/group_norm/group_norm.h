// Normalisation of an image's channels in groups, and its gradient.
//   forward:  z = (x - mean) * rstd * weight + bias,  y = z, max(z, 0) or z * sigmoid(z) by `activation`
//             mean and rstd = 1 / sqrt(variance + eps) of each group of each image, weight and bias of each channel
//   backward, with n = (x - mean) * rstd and dz = dy times the activation's slope at z:
//             dx = rstd * (dz * weight - mean of dz * weight - n * mean of dz * weight * n), means over the group
//             dweight = sum of dz * n,  dbias = sum of dz over the images and positions of a channel
// The channels stand between the axes before them and those behind them: NCHW is (N, 1, G, C / G, H * W), NHWC is
// (N, H * W, G, C / G, 1). Without a weight it is 1, without a bias it is 0. A group with NaN or an infinity gives NaN.
#pragma once
#include "core/host/rung.h"
#include "ops/norm/activation.h"
#include "ops/norm/group_shape.h"

namespace warpath::group_norm {

using norm::Activation, norm::GroupShape;

struct Forward {
  static constexpr const char* op = "group_norm";
  Tensor x, weight, bias, y, mean, rstd;
  double eps = 1e-5;
  Activation activation = Activation::none;
  Scratch scratch;

  GroupShape shape() const { return {x.shape[0], x.shape[1], x.shape[2], x.shape[3], x.shape[4]}; }

  static Contract contract() {
    return Contract(op,
                    "y = (x - mean) / sqrt(variance + eps) * weight + bias over groups of channels")
        .in("x", &Forward::x, {"batch", "outer", "groups", "channels", "inner"},
            {DType::f32, DType::f16, DType::bf16})
        .in("weight", &Forward::weight, {"groups", "channels"}, "x")
        .optional()
        .in("bias", &Forward::bias, {"groups", "channels"}, "x")
        .optional()
        .out("y", &Forward::y, {"batch", "outer", "groups", "channels", "inner"}, "x")
        .out("mean", &Forward::mean, {"batch", "groups"}, {DType::f32})
        .optional()
        .out("rstd", &Forward::rstd, {"batch", "groups"}, {DType::f32})
        .optional()
        .real("eps", &Forward::eps, 1e-5)
        .choice("activation", &Forward::activation, {"none", "relu", "silu"}, Activation::none)
        .scratch("scratch", &Forward::scratch)
        .after({"layer_norm", "instance_norm"});
  }
};

struct Backward {
  static constexpr const char* op = "group_norm_backward";
  Tensor x, dy, mean, rstd, weight, bias, dx, dweight, dbias;
  Activation activation = Activation::none;
  Scratch scratch;

  GroupShape shape() const { return {x.shape[0], x.shape[1], x.shape[2], x.shape[3], x.shape[4]}; }

  static Contract contract() {
    return Contract(op, "gradients of group_norm from x, dy and the mean and rstd of each group")
        .in("x", &Backward::x, {"batch", "outer", "groups", "channels", "inner"},
            {DType::f32, DType::f16, DType::bf16})
        .in("dy", &Backward::dy, {"batch", "outer", "groups", "channels", "inner"}, "x")
        .in("mean", &Backward::mean, {"batch", "groups"}, {DType::f32})
        .in("rstd", &Backward::rstd, {"batch", "groups"}, {DType::f32})
        .in("weight", &Backward::weight, {"groups", "channels"}, "x")
        .optional()
        .in("bias", &Backward::bias, {"groups", "channels"}, "x")
        .optional()
        .out("dx", &Backward::dx, {"batch", "outer", "groups", "channels", "inner"}, "x")
        .out("dweight", &Backward::dweight, {"groups", "channels"}, "x")
        .optional()
        .out("dbias", &Backward::dbias, {"groups", "channels"}, "x")
        .optional()
        .choice("activation", &Backward::activation, {"none", "relu", "silu"}, Activation::none)
        .scratch("scratch", &Backward::scratch);
  }
};

}  // namespace warpath::group_norm
