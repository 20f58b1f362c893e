#include "models/dit_blocks.h"

#include <cmath>

#include "ops/norm/adaptive_norm/adaptive_norm.h"

namespace warpath::models {

Modulation::Modulation(const Build& b, const std::string& name, std::int64_t vectors)
    : width_(b.config.width),
      linear_(Linear::out_in_bias(b, name, width_, vectors * width_, 0)),
      values_(b.activations.add(b.prefix + name, b.dtype(), {b.batch, vectors * width_})) {
  if (b.capacity == 0)
    gradients_ = b.activations.shared("d_" + name, b.dtype(), {b.batch, vectors * width_});
}

DitBlocks::Normed DitBlocks::make_norm(const Build& b, const std::string& name) {
  return {b.kept(name, {b.rows(), b.config.width}), b.kept(name + ".mean", DType::f32, {b.rows()}),
          b.kept(name + ".rstd", DType::f32, {b.rows()})};
}

// The stream before a block and its modulation stay even where blocks compute their activations again.
DitBlocks::Block DitBlocks::make_block(const Build& b) {
  const double deviation = 0.02 / std::sqrt(2.0 * static_cast<double>(b.config.layers));
  Block block{Modulation(b, "modulation", 6), {}, {}, {}, {}, {}, {}, nullptr, nullptr, b.prefix};
  block.s = b.activations.add(b.prefix + "stream", b.dtype(), {b.rows(), b.config.width});
  block.norm1 = make_norm(b, "norm1");
  block.attention = make_attention(b, deviation);
  block.attended = b.kept("attended", {b.rows(), b.config.width});
  block.middle = b.kept("middle", {b.rows(), b.config.width});
  block.norm2 = make_norm(b, "norm2");
  block.mlp = make_mlp(b, deviation);
  block.mapped = b.kept("mapped", {b.rows(), b.config.width});
  return block;
}

DitBlocks::DitBlocks(const Build& b, std::int64_t recompute)
    : recompute_(static_cast<std::size_t>(recompute)),
      batch_(b.batch),
      sequence_(b.sequence),
      width_(b.config.width),
      eps_(b.config.eps),
      blocks_([&] {
        std::vector<Block> blocks;
        Build each = b;
        for (std::int64_t i = 0; i < b.config.layers; ++i) {
          each.recompute = i < recompute;
          each.prefix = b.prefix + "encoder.layer." + std::to_string(i) + ".";
          blocks.push_back(make_block(each));
        }
        return blocks;
      }()),
      last_modulation_(b, "last_modulation", 2),
      last_(b.activations.add(b.prefix + "stream", b.dtype(), {b.rows(), width_})),
      last_norm_(make_norm(b, "last_norm")) {
  ds_[0] = b.passing("d_sum.0", {b.rows(), width_});
  ds_[1] = b.passing("d_sum.1", {b.rows(), width_});
  dh_ = b.passing("d_norm", {b.rows(), width_});
  d_branch_ = b.passing("d_branch", {b.rows(), width_});
  d_time_[0] = b.passing("d_time.0", {b.batch, width_});
  d_time_[1] = b.passing("d_time.1", {b.batch, width_});
}

Tensor DitBlocks::images(const Tensor& rows) const {
  return reshaped(rows, {batch_, sequence_, width_});
}

void DitBlocks::norm(Ops& ops, const Modulation& m, std::int64_t first, const Tensor& s,
                     const Normed& out) const {
  adaptive_norm::Forward args;
  args.x = images(s), args.shift = m.value(first), args.scale = m.value(first + 1);
  args.y = images(out.y), args.eps = eps_;
  args.mean = reshaped(out.mean, {batch_, sequence_});
  args.rstd = reshaped(out.rstd, {batch_, sequence_});
  ops.call(args);
}

void DitBlocks::norm_backward(Ops& ops, const Modulation& m, std::int64_t first, const Tensor& s,
                              const Normed& of, const Tensor& ds, const Tensor& dx) const {
  adaptive_norm::Backward args;
  args.x = images(s), args.dy = images(dh_), args.scale = m.value(first + 1);
  args.mean = reshaped(of.mean, {batch_, sequence_});
  args.rstd = reshaped(of.rstd, {batch_, sequence_});
  if (ds.data) args.ds = images(ds);
  args.dx = images(dx), args.dshift = m.gradient(first), args.dscale = m.gradient(first + 1);
  ops.call(args);
}

void DitBlocks::add(Ops& ops, const Tensor& gate, const Tensor& s, const Tensor& x,
                    const Tensor& y) const {
  adaptive_norm::Gate args;
  args.residual = images(s), args.x = images(x), args.gate = gate, args.y = images(y);
  ops.call(args);
}

void DitBlocks::add_backward(Ops& ops, const Modulation& m, std::int64_t gate, const Tensor& x,
                             const Tensor& dy) const {
  adaptive_norm::GateBackward args;
  args.dy = images(dy), args.x = images(x), args.gate = m.value(gate);
  args.dx = images(d_branch_), args.dgate = m.gradient(gate);
  ops.call(args);
}

void DitBlocks::forward_halves(Ops& ops, const Block& block) const {
  const Modulation& m = block.modulation;
  ops.set_layer(block.name + "attention");
  norm(ops, m, 0, block.s, block.norm1);
  block.attention->forward(ops, block.norm1.y, block.attended);
  add(ops, m.value(2), block.s, block.attended, block.middle);
  ops.set_layer(block.name + "mlp");
  norm(ops, m, 3, block.middle, block.norm2);
  block.mlp->forward(ops, block.norm2.y, block.mapped);
}

void DitBlocks::forward(Ops& ops, const Tensor& time) const {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    ops.set_layer(block.name + "modulation");
    block.modulation.forward(ops, time);
    forward_halves(ops, block);
    add(ops, block.modulation.value(5), block.middle, block.mapped, stream_after(i));
  }
  ops.set_layer("last norm");
  last_modulation_.forward(ops, time);
  norm(ops, last_modulation_, 0, last_, last_norm_);
}

// d: the gradient of the residual stream, which a norm's backward pass moves to the other of two tensors; that of the time
// moves with every product.
DitBlocks::Gradients DitBlocks::backward(Ops& ops, const Tensor& time) const {
  norm_backward(ops, last_modulation_, 0, last_, last_norm_, {}, ds_[0]);
  last_modulation_.backward(ops, time, d_time_[0], {});
  Tensor d = ds_[0], other = ds_[1], d_time = d_time_[0], other_time = d_time_[1];
  for (std::size_t i = blocks_.size(); i-- > 0;) {
    const Block& block = blocks_[i];
    // What the last of them computed still lies there.
    if (i + 1 < recompute_) forward_halves(ops, block);
    ops.set_layer(block.name + "mlp");
    add_backward(ops, block.modulation, 5, block.mapped, d);
    block.mlp->backward(ops, block.norm2.y, d_branch_, dh_);
    norm_backward(ops, block.modulation, 3, block.middle, block.norm2, d, other);
    std::swap(d, other);
    ops.set_layer(block.name + "attention");
    add_backward(ops, block.modulation, 2, block.attended, d);
    block.attention->backward(ops, block.norm1.y, d_branch_, dh_);
    norm_backward(ops, block.modulation, 0, block.s, block.norm1, d, other);
    std::swap(d, other);
    ops.set_layer(block.name + "modulation");
    block.modulation.backward(ops, time, other_time, d_time);
    std::swap(d_time, other_time);
  }
  return {d, d_time};
}

}  // namespace warpath::models
