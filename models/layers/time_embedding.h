// The token that tells a diffusion model the time: silu(waves(t) W1^T + b1) W2^T + b2, where waves(t) are sines and cosines of
// t at many frequencies, a constant table with a row per time.
#pragma once
#include "models/build.h"
#include "models/layers/linear.h"

namespace warpath::models {

class TimeEmbedding {
 public:
  explicit TimeEmbedding(const Build& b);

  const Tensor& times() const { return times_; }  // (batch), i32
  // y, dy: a row per image.
  void forward(Ops& ops, const Tensor& y) const;
  void backward(Ops& ops, const Tensor& dy) const;
  void upload_constants(const harness::Device& device) const;

 private:
  Linear in_, out_;
  Tensor table_, times_, waves_, before_, after_, d_after_;
};

}  // namespace warpath::models
