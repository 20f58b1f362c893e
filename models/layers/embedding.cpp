#include "models/layers/embedding.h"

#include "harness/buffer.h"
#include "ops/elementwise/fused_elementwise/fused_elementwise.h"
#include "ops/layout/embedding/embedding.h"

namespace warpath::models {

Embedding::Embedding(const Build& b, const Tensor& tokens)
    : has_positions_(b.config.family == Family::gpt2),
      tied_(b.config.tied),
      trains_(b.capacity == 0),
      tokens_(tokens) {
  const Config& c = b.config;
  table_ = b.parameters.matrix(b.prefix + (has_positions_ ? "wte.weight" : "embed_tokens.weight"),
                               c.vocabulary, c.width, 0.02);
  if (has_positions_) {
    position_table_ = b.parameters.matrix(b.prefix + "wpe.weight", c.context, c.width, 0.02);
    positions_ = b.activations.add("positions", DType::i32, {b.batch, b.sequence});
  }
  if (tied_ && table_.gradient.data) d_table_ = b.passing("d_table", {c.vocabulary, c.width});
}

Tensor Embedding::sequences(const Tensor& rows) const {
  return reshaped(rows, {tokens_.shape[0], tokens_.shape[1], rows.shape[1]});
}

void Embedding::forward(Ops& ops, const Tensor& y) const {
  embedding::Forward args;
  args.table = table_.value, args.ids = tokens_, args.position_table = position_table_.value;
  if (!trains_) args.positions = positions_;  // a token's place is not its position
  args.y = sequences(y);
  ops.call(args);
}

void Embedding::backward(Ops& ops, const Tensor& dy) const {
  if (!table_.gradient.data) return;
  embedding::Backward args;
  args.dy = sequences(dy), args.ids = tokens_, args.table = table_.value;
  args.dtable = tied_ ? d_table_ : table_.gradient;
  ops.call(args);
  if (tied_) {
    fused_elementwise::Args add;  // in place
    add.x = add.y = table_.gradient, add.residual = d_table_;
    ops.call(add);
  }
  if (!has_positions_) return;
  args.ids = positions_, args.table = position_table_.value, args.dtable = position_table_.gradient;
  ops.call(args);
}

void Embedding::upload_constants(const harness::Device& device) const {
  if (!has_positions_) return;
  std::vector<std::int32_t> positions(static_cast<std::size_t>(positions_.size()));
  for (std::size_t i = 0; i < positions.size(); ++i)
    positions[i] = static_cast<std::int32_t>(i % static_cast<std::size_t>(positions_.shape[1]));
  harness::must(device.upload(positions_.data, positions.data(), positions_.bytes()));
}

}  // namespace warpath::models
