#include "models/layers/patch_embedding.h"

#include "models/floats.h"
#include "ops/image/patchify/patchify.h"
#include "ops/layout/embedding/embedding.h"
#include "ops/matmul/matmul/matmul.h"

namespace warpath::models {

PatchEmbedding::PatchEmbedding(const Build& b, std::int64_t firsts)
    : firsts_(firsts), width_(b.config.width) {
  const Config& c = b.config;
  const std::int64_t count = b.batch * c.patches();
  const std::string name = b.prefix + "embeddings.patch_embeddings.projection";
  position_table_ = b.parameters.tensor(b.prefix + "embeddings.position_embeddings",
                                        {1, c.context, c.width}, 0.02, false);
  weight_ =
      b.parameters.tensor(name + ".weight", {c.width, c.channels, c.patch, c.patch}, 0.02, true);
  bias_ = b.parameters.vector(name + ".bias", c.width, 0);
  patches_ = b.inputs.add("patches", b.dtype(), {count, c.patch_size()});
  embedded_ = b.activations.add("embedded", b.dtype(), {count + firsts, c.width});
  d_embedded_ = b.passing("d_embedded", {count + firsts, c.width});
  ids_ = b.activations.add("token rows", DType::i32, {b.batch, b.sequence});
  positions_ = b.activations.add("positions", DType::i32, {b.batch, b.sequence});
  if (b.capacity == 0) ones_ = b.ones();
}

Tensor PatchEmbedding::images(const Tensor& rows) const {
  return reshaped(rows, {ids_.shape[0], ids_.shape[1], width_});
}

// A patch is embedded by a product; then tokens are gathered into their order, and their positions added, by one kernel.
void PatchEmbedding::forward(Ops& ops, const Tensor& y) const {
  matmul::Args product;
  product.a = matrix(patches_);
  product.b = transposed(reshaped(weight_.value, {width_, patches_.shape[1]}));
  product.bias = bias_.value, product.d = matrix(rows(embedded_, 0, patches_.shape[0]));
  ops.call(product);
  embedding::Forward gather;
  gather.table = embedded_, gather.ids = ids_, gather.y = images(y);
  gather.position_table = reshaped(position_table_.value, {ids_.shape[1], width_});
  ops.call(gather);
}

void PatchEmbedding::backward(Ops& ops, const Tensor& dy) const {
  embedding::Backward scatter;
  scatter.dy = images(dy), scatter.ids = ids_, scatter.table = embedded_;
  scatter.dtable = d_embedded_;
  ops.call(scatter);
  scatter.ids = positions_;
  scatter.table = reshaped(position_table_.value, {ids_.shape[1], width_});
  scatter.dtable = reshaped(position_table_.gradient, {ids_.shape[1], width_});
  ops.call(scatter);
  const Tensor d = rows(d_embedded_, 0, patches_.shape[0]);
  matmul::Args product;
  product.a = transposed(d), product.b = matrix(patches_);
  product.d = matrix(reshaped(weight_.gradient, {width_, patches_.shape[1]}));
  ops.call(product);
  matmul::Args sum;
  sum.a = matrix(tensor(ones_.data, ones_.dtype, {1, d.shape[0]})), sum.b = matrix(d);
  sum.d = matrix(reshaped(bias_.gradient, {1, width_}));
  ops.call(sum);
}

void PatchEmbedding::upload_constants(const harness::Device& device) const {
  const std::int64_t batch = ids_.shape[0], sequence = ids_.shape[1];
  const std::int64_t patches = sequence - firsts_;
  std::vector<std::int32_t> ids, positions;
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t t = 0; t < sequence; ++t) {
      const bool first = t < firsts_;
      ids.push_back(static_cast<std::int32_t>(first ? batch * patches : b * patches + t - firsts_));
      positions.push_back(static_cast<std::int32_t>(t));
    }
  upload_ints(device, ids_, ids);
  upload_ints(device, positions_, positions);
}

namespace {

struct Views {
  Tensor patches, images;
};

Views six_axes(const Config& c, const Tensor& patches, const Tensor& images) {
  const std::int64_t side = c.image / c.patch, batch = images.shape[0];
  return {reshaped(patches, {batch, side, side, c.channels, c.patch, c.patch}),
          reshaped(images, {batch, c.channels, side, c.patch, side, c.patch})};
}

}  // namespace

void cut_into_patches(Ops& ops, const Config& c, const Tensor& images, const Tensor& patches) {
  const Views views = six_axes(c, patches, images);
  patchify::Forward args;
  args.x = views.images, args.y = views.patches;
  ops.call(args);
}

void join_patches(Ops& ops, const Config& c, const Tensor& patches, const Tensor& images) {
  const Views views = six_axes(c, patches, images);
  patchify::Backward args;
  args.y = views.patches, args.x = views.images;
  ops.call(args);
}

std::vector<std::int32_t> rows_of_each(std::int64_t sequences, std::int64_t sequence,
                                       std::int64_t first, std::int64_t count) {
  std::vector<std::int32_t> ids;
  for (std::int64_t s = 0; s < sequences; ++s)
    for (std::int64_t i = 0; i < count; ++i)
      ids.push_back(static_cast<std::int32_t>(s * sequence + first + i));
  return ids;
}

}  // namespace warpath::models
