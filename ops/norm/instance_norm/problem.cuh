// The arguments as the kernels of the family take them.
#pragma once
#include "ops/norm/group_problem.cuh"
#include "ops/norm/instance_norm/instance_norm.h"

namespace warpath::instance_norm {

using norm::bias_of, norm::weight_of;

template <class T>
norm::GroupForward<T> problem(const Forward& args) {
  norm::GroupForward<T> p{};
  p.x = args.x.as<T>();
  p.weight = args.weight.as<T>();
  p.bias = args.bias.as<T>();
  p.y = args.y.as<T>();
  p.means = args.mean.as<float>();
  p.rstds = args.rstd.as<float>();
  p.eps = static_cast<float>(args.eps);
  p.activation = args.activation;
  p.shape = args.shape();
  return p;
}

template <class T>
norm::GroupBackward<T> problem(const Backward& args) {
  norm::GroupBackward<T> p{};
  p.x = args.x.as<T>();
  p.dy = args.dy.as<T>();
  p.means = args.mean.as<float>();
  p.rstds = args.rstd.as<float>();
  p.weight = args.weight.as<T>();
  p.bias = args.bias.as<T>();
  p.dx = args.dx.as<T>();
  p.dweight = args.dweight.as<T>();
  p.dbias = args.dbias.as<T>();
  p.activation = args.activation;
  p.shape = args.shape();
  return p;
}

}  // namespace warpath::instance_norm
