// The tokens of an image: one for each patch, a product of its pixels, behind a first one that is no patch where a model has
// one. To each the row of its position is added.
#pragma once
#include "models/build.h"
#include "models/call.h"

namespace warpath::models {

class PatchEmbedding {
 public:
  // `firsts`: rows for first tokens, one for all images or none.
  PatchEmbedding(const Build& b, std::int64_t firsts);

  // What must be there before forward(): the patches as rows, and the first tokens.
  const Tensor& patches() const { return patches_; }
  Tensor firsts() const { return rows(embedded_, patches_.shape[0], firsts_); }
  // The gradient of the first tokens, after backward().
  Tensor d_firsts() const { return rows(d_embedded_, patches_.shape[0], firsts_); }

  void forward(Ops& ops, const Tensor& y) const;
  void backward(Ops& ops, const Tensor& dy) const;
  void upload_constants(const harness::Device& device) const;

 private:
  Tensor images(const Tensor& rows) const;

  std::int64_t firsts_, width_;
  Parameter position_table_, weight_, bias_;
  Tensor patches_, embedded_, d_embedded_, ids_, positions_, ones_;
};

// Images (batch, channels, size, size) to patches as rows, and back.
void cut_into_patches(Ops& ops, const Config& c, const Tensor& images, const Tensor& patches);
void join_patches(Ops& ops, const Config& c, const Tensor& patches, const Tensor& images);

// The rows [first, first + count) of each sequence of `sequence` rows, as ids of a table of all rows.
std::vector<std::int32_t> rows_of_each(std::int64_t sequences, std::int64_t sequence,
                                       std::int64_t first, std::int64_t count);

}  // namespace warpath::models
