// The head of a diffusion model and its loss: prediction = x W^T + b for each patch, loss = mean of (prediction - noise)^2.
// W starts at zero, as in DiT: an untrained model predicts no noise.
#pragma once
#include "models/build.h"
#include "models/layers/linear.h"

namespace warpath::models {

class NoiseHead {
 public:
  explicit NoiseHead(const Build& b);

  // x: a row per patch, (rows, width). The noise that is in each patch, as rows.
  void predict(Ops& ops, const Tensor& x, const Tensor& prediction) const;
  // Of the noise that lies in noise().
  void loss(Ops& ops, const Tensor& x) const;
  // From what loss() left, times `scale`: dx and the gradients of the weight and the bias.
  void backward(Ops& ops, const Tensor& x, const Tensor& dx, double scale) const;

  const Tensor& noise() const { return noise_; }  // (patches of the batch, numbers of a patch)
  const Tensor& difference() const { return difference_; }  // prediction - noise, after loss()
  const Tensor& mean_loss() const { return total_; }

 private:
  Linear linear_;
  Tensor noise_, difference_, squares_, total_, ones_;
};

}  // namespace warpath::models
