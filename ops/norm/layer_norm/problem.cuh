// The args of a call as the family's kernels take them.
#pragma once
#include "ops/norm/backward_walk.cuh"
#include "ops/norm/forward_row.cuh"
#include "ops/norm/layer_norm/layer_norm.h"

namespace warpath::layer_norm {

template <class T>
norm::ForwardProblem<T> problem_of(const Forward& args) {
  norm::ForwardProblem<T> p{};
  p.x = args.x.as<T>();
  p.weight = args.weight.as<T>();
  p.bias = args.bias.as<T>();
  p.y = args.y.as<T>();
  p.means = args.mean.as<float>();
  p.rstds = args.rstd.as<float>();
  p.eps = static_cast<float>(args.eps);
  p.rows = args.x.shape[0];
  p.cols = args.x.shape[1];
  return p;
}

template <class T>
norm::BackwardProblem<T> problem_of(const Backward& args) {
  norm::BackwardProblem<T> p{};
  p.x = args.x.as<T>();
  p.dy = args.dy.as<T>();
  p.means = args.mean.as<float>();
  p.rstds = args.rstd.as<float>();
  p.weight = args.weight.as<T>();
  p.dx = args.dx.as<T>();
  p.dweight = args.dweight.as<T>();
  p.dbias = args.dbias.as<T>();
  p.rows = args.x.shape[0];
  p.cols = args.x.shape[1];
  p.scratch = args.scratch.data;
  return p;
}

}  // namespace warpath::layer_norm
