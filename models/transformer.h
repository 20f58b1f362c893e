// A transformer that predicts the next token: embedding, blocks, norm, head, loss; forward and backward.
//
//   s = embedding(tokens)
//   each block:  s = s + attention(norm1(s));  s = s + mlp(norm2(s))
//   logits = norm(s) table^T;  loss = cross entropy of the logits against the next tokens
#pragma once
#include "models/blocks.h"
#include "models/layers/embedding.h"
#include "models/layers/head.h"
#include "models/model.h"

namespace warpath::models {

// What the layers outside of blocks are built with.
Build outside(const Config& c, const Batch& batch, Parameters& parameters, Memory& memory,
              const Places& places = {});

class Transformer : public Model {
 public:
  Transformer(const Config& config, const Batch& batch, DType dtype, Memory& memory);

  void take(Ops& ops, const Sample& sample) const override;
  // Of the tokens and labels that lie in their tensors; the loss and the logits stay on the device.
  void forward(Ops& ops) const override;
  void loss(Ops& ops) const override { head_.loss(ops); }
  // Overwrites the logits by their gradient, times `scale`, and every gradient.
  void backward(Ops& ops, double scale) const override;

  const Config& config() const { return config_; }
  const Batch& batch() const { return batch_; }
  const Parameters& parameters() const override { return parameters_; }
  const Tensor& tokens() const { return tokens_; }  // (batch, sequence), i32
  const Tensor& labels() const { return head_.labels(); }
  // Of a model that writes text; GPT-2 reads the positions.
  const Places& places() const { return places_; }
  const Tensor& positions() const { return embedding_.positions(); }
  const Tensor& mean_loss() const override { return head_.mean_loss(); }
  const Tensor& logits() const { return head_.logits(); }
  std::vector<Named> results() const override { return {{"logits", logits()}}; }

  // What the kernels read and never write: ones, positions, which words of the vocabulary are padding.
  void upload_constants(const harness::Device& device) const override;

 private:
  Config config_;
  Batch batch_;
  Parameters parameters_;
  Tensor tokens_;
  Places places_;
  Embedding embedding_;
  Blocks blocks_;
  Head head_;
  Tensor ones_;
};

}  // namespace warpath::models
