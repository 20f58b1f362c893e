// One step of AdamW over many tensors: Adam with decoupled weight decay (Loshchilov and Hutter).
//   g = g * grad_scale
//   m = beta1 m + (1 - beta1) g                v = beta2 v + (1 - beta2) g^2
//   p = p (1 - lr weight_decay) - lr / (1 - beta1^step) * m / (sqrt(v / (1 - beta2^step)) + eps)
// The moments m and v are f32 whatever the type of p. With `master`, the weights are kept there in f32 and p gets them
// rounded: small steps are not lost in 16 bits. `decay` has a factor of the weight decay for each tensor, such as 0 for
// biases; left out, it is 1. `grad_scale` is one number in device memory, such as the clip factor of grad_norm: no one has
// to wait for it on the host. `lr_step` has two numbers in device memory, the learning rate and the step, and is used in place
// of the scalars `lr` and `step`: a CUDA graph repeats the scalars that it was captured with, but reads memory again.
#pragma once
#include "core/host/rung.h"

namespace warpath::adamw {

struct Args {
  static constexpr const char* op = "adamw";
  TensorList p, g, m, v, master;
  Tensor decay, grad_scale, lr_step;
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0.01;
  std::int64_t step = 1;

  static Contract contract() {
    return Contract(op, "a step of AdamW: p, m and v change, tensor by tensor")
        .inout_list("p", &Args::p, "tensors", {DType::f32, DType::f16, DType::bf16})
        .in_list("g", &Args::g, "tensors", "p")
        .inout_list("m", &Args::m, "tensors", std::vector<DType>{DType::f32})
        .inout_list("v", &Args::v, "tensors", "m")
        .inout_list("master", &Args::master, "tensors", "m")
        .optional()
        .in("decay", &Args::decay, {"tensors"}, std::vector<DType>{DType::f32})
        .optional()
        .in("grad_scale", &Args::grad_scale, {"1"}, std::vector<DType>{DType::f32})
        .optional()
        .in("lr_step", &Args::lr_step, {"2"}, std::vector<DType>{DType::f32})
        .optional()
        .real("lr", &Args::lr, 1e-3)
        .real("beta1", &Args::beta1, 0.9)
        .real("beta2", &Args::beta2, 0.999)
        .real("eps", &Args::eps, 1e-8)
        .real("weight_decay", &Args::weight_decay, 0.01)
        .integer("step", &Args::step, 1)
        .after({"vector_add", "grad_norm"});
  }
};

}  // namespace warpath::adamw
