// LoRA beside a linear layer: scale * (x A^T) B^T, A (rank, in) and B (out, rank). B begins as zeros, so the model begins as
// it was.
#pragma once
#include "models/build.h"
#include "models/call.h"

namespace warpath::models {

struct Adapter {
  Parameter a, b;
  double scale = 0;

  bool there() const { return scale != 0; }

  // None where the module is not among the targets.
  static Adapter make(const Build& b, const std::string& name, std::int64_t in, std::int64_t out);

  // What is added to the layer's result, (rows, out). It and the result below are overwritten by the next layer.
  Tensor forward(Ops& ops, const Tensor& x) const;
  // The gradients of A and B; what is added to that of x, (rows, in), and `add` to it. x A^T is computed again: that costs
  // less than keeping it for every layer.
  Tensor backward(Ops& ops, const Tensor& x, const Tensor& dy, const Tensor& add) const;

 private:
  void make_thin(Ops& ops, const Tensor& x) const;

  Tensor thin_, d_thin_;         // x A^T and its gradient, (rows, rank)
  Tensor to_result_, to_input_;  // (rows, out), (rows, in)
};

}  // namespace warpath::models
