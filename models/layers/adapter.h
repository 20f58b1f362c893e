// LoRA beside a linear layer: scale * (x A^T) B^T, A (rank, in) and B (out, rank). B begins as zeros, so the model begins as
// it was. In training some of x may be dropped, by a mask that the op `dropout` computes again in the backward pass.
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

  // y = scale * (x A^T) B^T (+ add); y may not be the memory of `add`.
  void forward(Ops& ops, const Tensor& x, const Tensor& y, const Tensor& add = {}) const;
  // Memory for a result, (rows, out). It and what backward() returns are overwritten by the next layer.
  const Tensor& result() const { return to_result_; }
  // The gradients of A and B; what is added to that of x, (rows, in), and `add` to it. x A^T is computed again: that costs
  // less than keeping it for every layer.
  Tensor backward(Ops& ops, const Tensor& x, const Tensor& dy, const Tensor& add) const;

 private:
  bool drops(const Ops& ops) const { return dropout_ > 0 && ops.pass().trains; }
  // y = x with its dropped elements zero (+ add). The same in every pass of a micro-batch.
  void drop(Ops& ops, const Tensor& x, const Tensor& y, const Tensor& add = {}) const;
  // x A^T into thin_; returns x, or what is left of it.
  Tensor make_thin(Ops& ops, const Tensor& x) const;

  Tensor thin_, d_thin_;         // x A^T and its gradient, (rows, rank)
  Tensor to_result_, to_input_;  // (rows, out), (rows, in)
  double dropout_ = 0;
  std::int64_t number_ = 0;  // among the model's adapters, each of which has masks of its own
  Tensor dropped_;           // (rows, in)
};

}  // namespace warpath::models
