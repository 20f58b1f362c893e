#include "models/transformer.h"

#include <cmath>

#include "harness/buffer.h"
#include "models/floats.h"

namespace warpath::models {
namespace {

Build outside(const Config& c, const Batch& batch, Parameters& parameters, Memory& memory,
              const Tensor& lengths, const Tensor& table) {
  return {c,
          parameters,
          memory.activations,
          batch.size,
          batch.sequence,
          false,
          c.family == Family::gpt2 ? "transformer." : "model.",
          batch.capacity,
          memory.cache,
          batch.pages,
          batch.page_size,
          lengths,
          table};
}

}  // namespace

Transformer::Block Transformer::make_block(const Build& b) {
  const bool gpt2 = b.config.family == Family::gpt2;
  // 2 layers matrices add to the residual stream; so its variance does not grow with the depth.
  const double deviation = 0.02 / std::sqrt(2.0 * static_cast<double>(b.config.layers));
  // In the order of Hugging Face's names: a parameter's first values depend on its place.
  Norm norm1(b, gpt2 ? "ln_1" : "input_layernorm", true);
  auto attention = gpt2 ? make_gpt2_attention(b, deviation) : make_llama_attention(b, deviation);
  Norm norm2(b, gpt2 ? "ln_2" : "post_attention_layernorm", false);
  auto mlp = gpt2 ? make_gpt2_mlp(b, deviation) : make_llama_mlp(b, deviation);
  return {norm1, norm2, std::move(attention), std::move(mlp), b.prefix};
}

Transformer::Transformer(const Config& config, const Batch& batch, DType dtype, Memory& memory)
    : config_(config),
      batch_(batch),
      parameters_(memory, dtype, batch.tuning),
      tokens_(memory.activations.add("tokens", DType::i32, {batch.size, batch.sequence})),
      lengths_(batch.capacity > 0 ? memory.activations.add("lengths", DType::i32, {batch.size})
                                  : Tensor{}),
      table_(batch.capacity > 0
                 ? memory.activations.add("block_table", DType::i32,
                                          {batch.size, batch.capacity / batch.page_size})
                 : Tensor{}),
      embedding_(outside(config_, batch_, parameters_, memory, lengths_, table_), tokens_),
      blocks_([&] {
        std::vector<Block> blocks;
        Build b = outside(config_, batch_, parameters_, memory, lengths_, table_);
        const std::string prefix = b.prefix;
        b.recompute = batch.recompute;
        for (std::int64_t i = 0; i < config_.layers; ++i) {
          b.prefix = prefix + (config_.family == Family::gpt2 ? "h." : "layers.") +
                     std::to_string(i) + ".";
          blocks.push_back(make_block(b));
        }
        return blocks;
      }()),
      last_norm_(
          std::make_unique<Norm>(outside(config_, batch_, parameters_, memory, lengths_, table_),
                                 config_.family == Family::gpt2 ? "ln_f" : "norm", true)),
      head_(outside(config_, batch_, parameters_, memory, lengths_, table_), embedding_.table()) {
  parameters_.check_targets();
  const Build b = outside(config_, batch_, parameters_, memory, lengths_, table_);
  if (batch.capacity > 0) return;
  ds_[0] = b.passing("d_sum.0", {b.rows(), config_.width});
  ds_[1] = b.passing("d_sum.1", {b.rows(), config_.width});
  dh_ = b.passing("d_norm", {b.rows(), config_.width});
  ones_ = b.ones();
}

void Transformer::forward(Ops& ops) const {
  ops.set_layer("embedding");
  embedding_.forward(ops, blocks_[0].norm1.sum());
  blocks_[0].norm1.forward(ops);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    const Norm& next = norm_after(i);
    ops.set_layer(block.name + "attention");
    block.attention->forward(ops, block.norm1.output(), block.norm2.output());
    block.norm2.forward_add(ops, block.norm1.sum());
    ops.set_layer(block.name + "mlp");
    block.mlp->forward(ops, block.norm2.output(), next.output());
    next.forward_add(ops, block.norm2.sum());
  }
  ops.set_layer("head");
  const Tensor& h = last_norm_->output();
  head_.forward(ops, batch_.capacity > 0 && batch_.size == 1 ? rows(h, h.shape[0] - 1, 1) : h);
}

// d: the gradient of the residual stream, which a norm's backward pass moves to the other of two tensors.
void Transformer::backward(Ops& ops, double scale) const {
  ops.set_layer("head");
  head_.backward(ops, last_norm_->output(), dh_, scale);
  last_norm_->backward(ops, dh_, {}, ds_[0]);
  Tensor d = ds_[0], other = ds_[1];
  for (std::size_t i = blocks_.size(); i-- > 0;) {
    const Block& block = blocks_[i];
    if (batch_.recompute) {
      ops.set_layer(block.name + "again");
      block.norm1.forward(ops);
      block.attention->forward(ops, block.norm1.output(), block.norm2.output());
      block.norm2.forward_add(ops, block.norm1.sum());
      block.mlp->forward(ops, block.norm2.output(), {});
    }
    ops.set_layer(block.name + "mlp");
    block.mlp->backward(ops, block.norm2.output(), d, dh_);
    block.norm2.backward(ops, dh_, d, other);
    std::swap(d, other);
    ops.set_layer(block.name + "attention");
    block.attention->backward(ops, block.norm1.output(), d, dh_);
    block.norm1.backward(ops, dh_, d, other);
    std::swap(d, other);
  }
  ops.set_layer("embedding");
  embedding_.backward(ops, d);
}

void Transformer::upload_constants(const harness::Device& device) const {
  if (batch_.capacity > 0) return;
  embedding_.upload_constants(device);
  upload_floats(device, ones_, std::vector<float>(static_cast<std::size_t>(ones_.size()), 1.0f));
}

}  // namespace warpath::models
