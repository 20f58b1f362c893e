// A transformer that predicts the next token: embedding, blocks, norm, head, loss; forward and backward.
//
//   s = embedding(tokens)
//   each block:  s = s + attention(norm1(s));  s = s + mlp(norm2(s))
//   logits = norm(s) table^T;  loss = cross entropy of the logits against the next tokens
//
// A residual addition and the norm behind it are one kernel, so a block's last addition is done by the next block's norm.
#pragma once
#include <memory>
#include <vector>

#include "models/layers/embedding.h"
#include "models/layers/head.h"
#include "models/layers/norm.h"
#include "models/layers/sublayer.h"

namespace warpath::models {

struct Batch {
  std::int64_t size = 8, sequence = 64;
  bool recompute = false;
  // Of a model that writes text: it sees `sequence` new tokens per sequence beside a cache of that many, in pages. 0: one that
  // trains. Such a model has the logits of each sequence's last token only, and one of `size` and `sequence` is 1.
  std::int64_t capacity = 0, pages = 0, page_size = 0;
  Tuning tuning = {};
};

class Transformer {
 public:
  Transformer(const Config& config, const Batch& batch, DType dtype, Memory& memory);

  // Of the tokens and labels that lie in their tensors; the loss and the logits stay on the device.
  void forward(Ops& ops) const;
  void loss(Ops& ops) const { head_.loss(ops); }
  // Overwrites the logits by their gradient, times `scale`, and every gradient.
  void backward(Ops& ops, double scale) const;

  const Config& config() const { return config_; }
  const Batch& batch() const { return batch_; }
  const Parameters& parameters() const { return parameters_; }
  const Tensor& tokens() const { return tokens_; }  // (batch, sequence), i32
  const Tensor& labels() const { return head_.labels(); }
  // Of a model that writes text; GPT-2 reads the positions.
  const Tensor& lengths() const { return lengths_; }
  const Tensor& table() const { return table_; }
  const Tensor& positions() const { return embedding_.positions(); }
  const Tensor& mean_loss() const { return head_.mean_loss(); }
  const Tensor& logits() const { return head_.logits(); }

  // What the kernels read and never write: ones, positions, which words of the vocabulary are padding.
  void upload_constants(const harness::Device& device) const;

 private:
  struct Block {
    Norm norm1, norm2;
    std::unique_ptr<Sublayer> attention, mlp;
    std::string name;
  };
  static Block make_block(const Build& b);
  const Norm& norm_after(std::size_t block) const {
    return block + 1 < blocks_.size() ? blocks_[block + 1].norm1 : *last_norm_;
  }

  Config config_;
  Batch batch_;
  Parameters parameters_;
  Tensor tokens_, lengths_, table_;
  Embedding embedding_;
  std::vector<Block> blocks_;
  std::unique_ptr<Norm> last_norm_;
  Head head_;
  Tensor ds_[2], dh_, ones_;
};

}  // namespace warpath::models
