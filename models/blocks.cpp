#include "models/blocks.h"

#include <cmath>

namespace warpath::models {
namespace {

// As Hugging Face names the parts.
struct Names {
  const char *blocks, *norm1, *norm2, *last_norm;
};

Names names_of(Family family) {
  switch (family) {
    case Family::gpt2:
      return {"h.", "ln_1", "ln_2", "ln_f"};
    case Family::llama:
      return {"layers.", "input_layernorm", "post_attention_layernorm", "norm"};
    default:
      return {"encoder.layer.", "layernorm_before", "layernorm_after", "layernorm"};
  }
}

}  // namespace

Blocks::Block Blocks::make_block(const Build& b) {
  const Names names = names_of(b.config.family);
  // 2 layers matrices add to the residual stream; so its variance does not grow with the depth.
  const double deviation = 0.02 / std::sqrt(2.0 * static_cast<double>(b.config.layers));
  // In the order of Hugging Face's names: a parameter's first values depend on its place.
  Norm norm1(b, names.norm1, true);
  auto attention = make_attention(b, deviation);
  Norm norm2(b, names.norm2, false);
  auto mlp = make_mlp(b, deviation);
  return {norm1, norm2, std::move(attention), std::move(mlp), b.prefix};
}

Blocks::Blocks(const Build& b, std::int64_t recompute)
    : recompute_(static_cast<std::size_t>(recompute)) {
  const Names names = names_of(b.config.family);
  Build each = b;
  for (std::int64_t i = 0; i < b.config.layers; ++i) {
    each.recompute = i < recompute;
    each.prefix = b.prefix + names.blocks + std::to_string(i) + ".";
    blocks_.push_back(make_block(each));
  }
  last_norm_ = std::make_unique<Norm>(b, names.last_norm, true);
  if (b.capacity > 0) return;
  ds_[0] = b.passing("d_sum.0", {b.rows(), b.config.width});
  ds_[1] = b.passing("d_sum.1", {b.rows(), b.config.width});
  dh_ = b.passing("d_norm", {b.rows(), b.config.width});
}

void Blocks::forward(Ops& ops) const {
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
}

// d: the gradient of the residual stream, which a norm's backward pass moves to the other of two tensors.
Tensor Blocks::backward(Ops& ops) const {
  last_norm_->backward(ops, dh_, {}, ds_[0]);
  Tensor d = ds_[0], other = ds_[1];
  for (std::size_t i = blocks_.size(); i-- > 0;) {
    const Block& block = blocks_[i];
    // What the last of them computed still lies there.
    if (i + 1 < recompute_) {
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
  return d;
}

}  // namespace warpath::models
