// A vision transformer that tells classes of images apart, as Hugging Face's ViTForImageClassification:
//
//   s = [class token, patches W^T + b] + positions
//   blocks with full attention (models/blocks.h)
//   logits = classifier(norm(s) of the class token);  loss = cross entropy against the image's class
#pragma once
#include "models/blocks.h"
#include "models/layers/class_head.h"
#include "models/layers/patch_embedding.h"
#include "models/model.h"

namespace warpath::models {

class Vit : public Model {
 public:
  Vit(const Config& config, const Batch& batch, DType dtype, Memory& memory);

  void take(Ops& ops, const Sample& sample) const override;
  void forward(Ops& ops) const override;
  void loss(Ops& ops) const override { head_.loss(ops); }
  void backward(Ops& ops, double scale) const override;

  const Parameters& parameters() const override { return parameters_; }
  const Tensor& mean_loss() const override { return head_.mean_loss(); }
  std::vector<Named> results() const override { return {{"logits", head_.logits()}}; }
  std::int64_t count_right(Ops& ops, const Sample& sample) const override;
  void upload_constants(const harness::Device& device) const override;

 private:
  Config config_;
  Batch batch_;
  Parameters parameters_;
  Build build_;
  Parameter class_token_;
  Tensor images_, ones_;
  PatchEmbedding embedding_;
  Blocks blocks_;
  ClassHead head_;
};

}  // namespace warpath::models
