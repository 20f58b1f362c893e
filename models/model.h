// What a trainer trains: a forward and a backward pass over the batch that lies on the device.
#pragma once
#include <memory>
#include <vector>

#include "models/call.h"
#include "models/data.h"
#include "models/parameters.h"

namespace warpath::models {

struct Batch {
  std::int64_t size = 8, sequence = 64;
  std::int64_t recompute = 0;  // so many blocks, the first ones, compute their activations again
  // Of a model that writes text: it sees `sequence` new tokens per sequence beside a cache of that many, in pages. 0: one that
  // trains. Such a model has the logits of each sequence's last token only, and one of `size` and `sequence` is 1.
  std::int64_t capacity = 0, pages = 0, page_size = 0;
  Tuning tuning = {};
};

class Model {
 public:
  virtual ~Model() = default;

  // Puts a batch where forward() reads it. Random numbers of a step are drawn here: a recorded graph would repeat them.
  virtual void take(Ops& ops, const Sample& sample) const = 0;
  virtual void forward(Ops& ops) const = 0;
  virtual void loss(Ops& ops) const = 0;
  // The loss, then every gradient, times `scale`. May overwrite what forward() predicted.
  virtual void backward(Ops& ops, double scale) const = 0;

  virtual const Parameters& parameters() const = 0;
  virtual const Tensor& mean_loss() const = 0;
  // What a dump has beside the batch, the loss and the gradients, after loss().
  virtual std::vector<Named> results() const = 0;
  // How many predictions for the batch are right, after forward(); negative where none is right or wrong.
  virtual std::int64_t count_right(Ops&, const Sample&) const { return -1; }
  // What the kernels read and never write.
  virtual void upload_constants(const harness::Device& device) const = 0;
};

// The model of the config's family.
std::unique_ptr<Model> make_model(const Config& config, const Batch& batch, DType dtype,
                                  Memory& memory);

}  // namespace warpath::models
