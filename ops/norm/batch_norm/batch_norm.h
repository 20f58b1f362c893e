// Normalisation of each channel over all images and positions, its gradient, and its form for inference.
//   training:  z = (x - mean) * rstd * weight + bias,  y = z, max(z, 0) or z * sigmoid(z) by `activation`
//              mean and rstd = 1 / sqrt(variance + eps) over the n elements of a channel
//              new_mean = (1 - momentum) * running_mean + momentum * mean
//              new_var = (1 - momentum) * running_var + momentum * variance * n / (n - 1)
//   inference: the same z and y from running_mean and 1 / sqrt(running_var + eps)
//   backward of training, with n = (x - mean) * rstd and dz = dy times the activation's slope at z:
//              dx = rstd * weight * (dz - mean of dz - n * mean of dz * n), means over the channel
//              dweight = sum of dz * n,  dbias = sum of dz
// The channels stand between the axes before them and those behind them: NCHW is (N, C, H * W), NHWC is (N, H, W, C, 1).
// Weight, bias and statistics are f32 whatever the type of x, as cuDNN has them. Without a weight it is 1, without a bias
// 0; without running statistics they are 0 and 1. A batch without elements leaves the running statistics as they are.
#pragma once
#include "core/host/rung.h"
#include "ops/norm/activation.h"
#include "ops/norm/group_shape.h"

namespace warpath::batch_norm {

using norm::Activation, norm::GroupShape;

// A channel is a group of the whole batch.
inline GroupShape shape_of(const Tensor& x) {
  return {1, x.shape[0], x.shape[1], 1, x.shape[2]};
}

struct Forward {
  static constexpr const char* op = "batch_norm";
  Tensor x, weight, bias, running_mean, running_var, y, mean, rstd, new_mean, new_var;
  double eps = 1e-5, momentum = 0.1;
  Activation activation = Activation::none;
  Scratch scratch;

  GroupShape shape() const { return shape_of(x); }

  static Contract contract() {
    return Contract(op,
                    "y = (x - mean) / sqrt(variance + eps) * weight + bias over a batch's channels")
        .in("x", &Forward::x, {"batch...", "channels", "space"},
            {DType::f32, DType::f16, DType::bf16})
        .in("weight", &Forward::weight, {"channels"}, {DType::f32})
        .optional()
        .in("bias", &Forward::bias, {"channels"}, {DType::f32})
        .optional()
        .in("running_mean", &Forward::running_mean, {"channels"}, {DType::f32})
        .optional()
        .in("running_var", &Forward::running_var, {"channels"}, {DType::f32})
        .optional()
        .out("y", &Forward::y, {"batch...", "channels", "space"}, "x")
        .out("mean", &Forward::mean, {"channels"}, {DType::f32})
        .optional()
        .out("rstd", &Forward::rstd, {"channels"}, {DType::f32})
        .optional()
        .out("new_mean", &Forward::new_mean, {"channels"}, {DType::f32})
        .optional()
        .in_place("running_mean")
        .out("new_var", &Forward::new_var, {"channels"}, {DType::f32})
        .optional()
        .in_place("running_var")
        .real("eps", &Forward::eps, 1e-5)
        .real("momentum", &Forward::momentum, 0.1)
        .choice("activation", &Forward::activation, {"none", "relu", "silu"}, Activation::none)
        .scratch("scratch", &Forward::scratch)
        .after({"layer_norm", "group_norm"});
  }
};

struct Backward {
  static constexpr const char* op = "batch_norm_backward";
  Tensor x, dy, mean, rstd, weight, bias, dx, dweight, dbias;
  Activation activation = Activation::none;
  Scratch scratch;

  GroupShape shape() const { return shape_of(x); }

  static Contract contract() {
    return Contract(op, "gradients of batch_norm from x, dy and the mean and rstd of each channel")
        .in("x", &Backward::x, {"batch...", "channels", "space"},
            {DType::f32, DType::f16, DType::bf16})
        .in("dy", &Backward::dy, {"batch...", "channels", "space"}, "x")
        .in("mean", &Backward::mean, {"channels"}, {DType::f32})
        .in("rstd", &Backward::rstd, {"channels"}, {DType::f32})
        .in("weight", &Backward::weight, {"channels"}, {DType::f32})
        .optional()
        .in("bias", &Backward::bias, {"channels"}, {DType::f32})
        .optional()
        .out("dx", &Backward::dx, {"batch...", "channels", "space"}, "x")
        .out("dweight", &Backward::dweight, {"channels"}, {DType::f32})
        .optional()
        .out("dbias", &Backward::dbias, {"channels"}, {DType::f32})
        .optional()
        .choice("activation", &Backward::activation, {"none", "relu", "silu"}, Activation::none)
        .scratch("scratch", &Backward::scratch);
  }
};

struct Inference {
  static constexpr const char* op = "batch_norm_inference";
  Tensor x, running_mean, running_var, weight, bias, y;
  double eps = 1e-5;
  Activation activation = Activation::none;

  GroupShape shape() const { return shape_of(x); }

  static Contract contract() {
    return Contract(op,
                    "y = (x - running_mean) / sqrt(running_var + eps) * weight + bias per channel")
        .in("x", &Inference::x, {"batch...", "channels", "space"},
            {DType::f32, DType::f16, DType::bf16})
        .in("running_mean", &Inference::running_mean, {"channels"}, {DType::f32})
        .in("running_var", &Inference::running_var, {"channels"}, {DType::f32})
        .in("weight", &Inference::weight, {"channels"}, {DType::f32})
        .optional()
        .in("bias", &Inference::bias, {"channels"}, {DType::f32})
        .optional()
        .out("y", &Inference::y, {"batch...", "channels", "space"}, "x")
        .real("eps", &Inference::eps, 1e-5)
        .choice("activation", &Inference::activation, {"none", "relu", "silu"}, Activation::none);
  }
};

}  // namespace warpath::batch_norm
