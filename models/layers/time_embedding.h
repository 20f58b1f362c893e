// What tells a diffusion model the time: c = silu(waves(t) W1^T + b1) W2^T + b2, where waves(t) are sines and cosines of t at
// many frequencies, a constant table with a row per time. The layers see silu(c).
#pragma once
#include "models/build.h"
#include "models/layers/linear.h"

namespace warpath::models {

class TimeEmbedding {
 public:
  explicit TimeEmbedding(const Build& b);

  const Tensor& times() const { return times_; }  // (batch), i32
  // silu(c), a row per image, after forward().
  const Tensor& output() const { return output_; }
  void forward(Ops& ops) const;
  // dy: the gradient of output(), which is overwritten.
  void backward(Ops& ops, const Tensor& dy) const;
  void upload_constants(const harness::Device& device) const;

 private:
  Linear in_, out_;
  Tensor table_, times_, waves_, before_, after_, c_, output_, d_after_;
};

}  // namespace warpath::models
