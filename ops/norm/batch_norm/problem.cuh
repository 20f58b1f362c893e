// The arguments as the kernels of the family take them: weight and bias are floats.
#pragma once
#include "ops/norm/batch_norm/batch_norm.h"
#include "ops/norm/group_problem.cuh"

namespace warpath::batch_norm {

using norm::bias_of, norm::weight_of;

template <class T>
norm::GroupForward<T, float> problem(const Forward& args) {
  norm::GroupForward<T, float> p{};
  p.x = args.x.as<T>();
  p.weight = args.weight.as<float>();
  p.bias = args.bias.as<float>();
  p.y = args.y.as<T>();
  p.means = args.mean.as<float>();
  p.rstds = args.rstd.as<float>();
  p.eps = static_cast<float>(args.eps);
  p.activation = args.activation;
  p.shape = args.shape();
  p.running_mean = args.running_mean.as<float>();
  p.running_var = args.running_var.as<float>();
  p.new_mean = args.new_mean.as<float>();
  p.new_var = args.new_var.as<float>();
  p.momentum = static_cast<float>(args.momentum);
  return p;
}

template <class T>
norm::GroupForward<T, float> problem(const Inference& args) {
  norm::GroupForward<T, float> p{};
  p.x = args.x.as<T>();
  p.weight = args.weight.as<float>();
  p.bias = args.bias.as<float>();
  p.y = args.y.as<T>();
  p.eps = static_cast<float>(args.eps);
  p.activation = args.activation;
  p.shape = args.shape();
  p.running_mean = args.running_mean.as<float>();
  p.running_var = args.running_var.as<float>();
  return p;
}

template <class T>
norm::GroupBackward<T, float> problem(const Backward& args) {
  norm::GroupBackward<T, float> p{};
  p.x = args.x.as<T>();
  p.dy = args.dy.as<T>();
  p.means = args.mean.as<float>();
  p.rstds = args.rstd.as<float>();
  p.weight = args.weight.as<float>();
  p.bias = args.bias.as<float>();
  p.dx = args.dx.as<T>();
  p.dweight = args.dweight.as<float>();
  p.dbias = args.dbias.as<float>();
  p.activation = args.activation;
  p.shape = args.shape();
  return p;
}

}  // namespace warpath::batch_norm
