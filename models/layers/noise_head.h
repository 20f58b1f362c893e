// The head of a diffusion model and its loss: prediction = x W^T + b for each patch, loss = mean of (prediction - noise)^2.
#pragma once
#include "models/build.h"
#include "models/layers/linear.h"

namespace warpath::models {

class NoiseHead {
 public:
  explicit NoiseHead(const Build& b);

  // x: all tokens, (rows, width), of which the first of each image is no patch.
  void forward(Ops& ops, const Tensor& x) const;
  // The noise that is in each patch, as rows.
  void predict(Ops& ops, const Tensor& prediction) const;
  // Of the noise that lies in noise().
  void loss(Ops& ops) const;
  // From what loss() left, times `scale`: dx and the gradients of the weight and the bias.
  void backward(Ops& ops, const Tensor& dx, double scale) const;

  const Tensor& noise() const { return noise_; }  // (patches of the batch, numbers of a patch)
  const Tensor& difference() const { return difference_; }  // prediction - noise, after loss()
  const Tensor& mean_loss() const { return total_; }
  void upload_constants(const harness::Device& device) const;

 private:
  Linear linear_;
  Tensor ids_, rows_, noise_, difference_, squares_, total_, d_rows_, ones_;
};

}  // namespace warpath::models
