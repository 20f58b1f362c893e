// ViT's head and its loss: logits = x W^T + b of each image's first token, loss = mean cross entropy against its class.
#pragma once
#include "models/build.h"
#include "models/layers/linear.h"

namespace warpath::models {

class ClassHead {
 public:
  explicit ClassHead(const Build& b);

  // x: all tokens, (rows, width).
  void forward(Ops& ops, const Tensor& x) const;
  void loss(Ops& ops) const;
  // The loss, then its gradient over the logits, times `scale`, then dx and the gradients of the weight and the bias.
  void backward(Ops& ops, const Tensor& dx, double scale) const;

  const Tensor& labels() const { return labels_; }
  const Tensor& mean_loss() const { return total_; }
  const Tensor& logits() const { return logits_; }
  void upload_constants(const harness::Device& device, std::int64_t sequence) const;

 private:
  Linear linear_;
  Tensor labels_, pooled_, logits_, loss_, lse_, total_, d_pooled_, ids_;
};

}  // namespace warpath::models
