// The head and its loss: logits = x table^T, loss = mean cross entropy against the labels.
#pragma once
#include "models/build.h"
#include "models/call.h"

namespace warpath::models {

class Head {
 public:
  // `table` is the embedding's; a head that is not tied to it has its own.
  Head(const Build& b, const Parameter& table);

  void forward(Ops& ops, const Tensor& x) const;
  void loss(Ops& ops) const;
  // The loss, then its gradient over the logits, times `scale`, then dx and the table's gradient.
  void backward(Ops& ops, const Tensor& x, const Tensor& dx, double scale) const;

  const Tensor& labels() const { return labels_; }
  const Tensor& mean_loss() const { return total_; }
  const Tensor& logits() const { return logits_; }

 private:
  Parameter table_;
  bool is_constant_;
  Tensor labels_, logits_, loss_, lse_, total_;
};

}  // namespace warpath::models
