#include "models/layers/norm.h"

#include "ops/norm/add_norm/add_norm.h"
#include "ops/norm/layer_norm/layer_norm.h"
#include "ops/norm/rms_norm/rms_norm.h"

namespace warpath::models {

Norm::Norm(const Build& b, const std::string& name, bool stays)
    : rms_(b.config.family == Family::llama),
      eps_(b.config.eps),
      weight_(b.parameters.vector(b.prefix + name + ".weight", b.config.width, 1)) {
  if (!rms_) bias_ = b.parameters.vector(b.prefix + name + ".bias", b.config.width, 0);
  s_ = stays ? b.activations.add(b.prefix + name + ".sum", b.dtype(), {b.rows(), b.config.width})
             : b.kept(name + ".sum", {b.rows(), b.config.width});
  y_ = b.kept(name, {b.rows(), b.config.width});
  mean_ = b.kept(name + ".mean", DType::f32, {b.rows()});
  rstd_ = b.kept(name + ".rstd", DType::f32, {b.rows()});
}

void Norm::forward(Ops& ops) const {
  if (rms_) {
    rms_norm::Forward args;
    args.x = s_, args.weight = weight_.value, args.y = y_, args.rstd = rstd_, args.eps = eps_;
    ops.call(args);
  } else {
    layer_norm::Forward args;
    args.x = s_, args.weight = weight_.value, args.bias = bias_.value;
    args.y = y_, args.mean = mean_, args.rstd = rstd_, args.eps = eps_;
    ops.call(args);
  }
}

void Norm::forward_add(Ops& ops, const Tensor& residual) const {
  add_norm::Forward args;
  args.kind = rms_ ? add_norm::Kind::rms : add_norm::Kind::layer;
  args.x = y_, args.residual = residual;
  args.weight = weight_.value, args.bias = bias_.value;
  args.y = y_, args.s = s_, args.mean = mean_, args.rstd = rstd_, args.eps = eps_;
  ops.call(args);
}

void Norm::backward(Ops& ops, const Tensor& dy, const Tensor& ds, const Tensor& dx) const {
  add_norm::Backward args;
  args.kind = rms_ ? add_norm::Kind::rms : add_norm::Kind::layer;
  args.s = s_, args.dy = dy, args.mean = mean_, args.rstd = rstd_, args.ds = ds;
  args.weight = weight_.value, args.dx = dx;
  args.dweight = weight_.gradient, args.dbias = bias_.gradient;
  ops.call(args);
}

}  // namespace warpath::models
