// A diffusion transformer: it sees an image in which noise has replaced a part of the signal, and the time, and predicts
// the noise.
//
//   noised = sqrt(a) image + sqrt(1 - a) noise,  a = alpha_bar[time]
//   s = patches of noised W^T + b + positions
//   blocks with full attention, whose norms and additions are conditioned on the time (models/dit_blocks.h)
//   prediction = norm(s) W^T + b for each patch;  loss = mean of (prediction - noise)^2
//
// Noise is drawn for patches, not for images: each number is independent of all others, so the order does not matter.
#pragma once
#include "models/dit_blocks.h"
#include "models/layers/noise_head.h"
#include "models/layers/patch_embedding.h"
#include "models/layers/time_embedding.h"
#include "models/model.h"

namespace warpath::models {

class Dit : public Model {
 public:
  Dit(const Config& config, const Batch& batch, DType dtype, Memory& memory);

  void take(Ops& ops, const Sample& sample) const override;
  void forward(Ops& ops) const override;
  void loss(Ops& ops) const override { head_.loss(ops, blocks_.output()); }
  void backward(Ops& ops, double scale) const override;
  // forward(), then the noise in the patches that lie in patches().
  void predict(Ops& ops, const Tensor& prediction) const;

  const Parameters& parameters() const override { return parameters_; }
  const Tensor& mean_loss() const override { return head_.mean_loss(); }
  const Tensor& patches() const { return embedding_.patches(); }
  const Tensor& images() const { return images_; }
  const Tensor& times() const { return time_.times(); }
  const Tensor& alpha_bar() const { return alpha_bar_; }
  std::vector<Named> results() const override;
  void upload_constants(const harness::Device& device) const override;

 private:
  Config config_;
  Batch batch_;
  Parameters parameters_;
  Build build_;
  Tensor images_, clean_, alpha_bar_, ones_;
  TimeEmbedding time_;
  PatchEmbedding embedding_;
  DitBlocks blocks_;
  NoiseHead head_;
};

}  // namespace warpath::models
