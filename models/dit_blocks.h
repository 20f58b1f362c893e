// The blocks of a diffusion transformer, conditioned by adaptive layer norm ("adaLN-zero" in Peebles and Xie's paper on DiT),
// and the norm behind them:
//   each block:  shift1, scale1, gate1, shift2, scale2, gate2 = the columns of time W^T + b, a row per image
//                s = s + gate1 * attention(norm(s) * (1 + scale1) + shift1)
//                s = s + gate2 * mlp(norm(s) * (1 + scale2) + shift2)
//   output = norm(s) * (1 + scale) + shift, both the columns of another such product
// The norms have no weights. W and b start at zero: then every gate is closed, and the blocks are the identity.
#pragma once
#include <memory>
#include <vector>

#include "models/layers/linear.h"
#include "models/layers/sublayer.h"

namespace warpath::models {

// Vectors per image by one product, and their gradients.
class Modulation {
 public:
  Modulation(const Build& b, const std::string& name, std::int64_t vectors);

  void forward(Ops& ops, const Tensor& time) const { linear_.forward(ops, time, values_); }
  // d_time = the gradient of the product, plus `add`.
  void backward(Ops& ops, const Tensor& time, const Tensor& d_time, const Tensor& add) const {
    linear_.backward(ops, time, gradients_, d_time, add);
  }
  // Vector i of each image, (batch, width), and its gradient.
  Tensor value(std::int64_t i) const { return columns(values_, i * width_, width_); }
  Tensor gradient(std::int64_t i) const { return columns(gradients_, i * width_, width_); }

 private:
  std::int64_t width_;
  Linear linear_;
  Tensor values_, gradients_;
};

class DitBlocks {
 public:
  // `b` is that of the model; the first `recompute` blocks compute their activations again.
  DitBlocks(const Build& b, std::int64_t recompute);

  // Where s must lie before forward().
  const Tensor& input() const { return blocks_[0].s; }
  const Tensor& output() const { return last_norm_.y; }
  // Where the gradient of output() must lie before backward(), which returns those of input() and of time.
  const Tensor& d_output() const { return dh_; }

  struct Gradients {
    Tensor input, time;
  };
  // time: a row per image.
  void forward(Ops& ops, const Tensor& time) const;
  Gradients backward(Ops& ops, const Tensor& time) const;

 private:
  struct Normed {
    Tensor y, mean, rstd;
  };
  struct Block {
    Modulation modulation;
    Tensor s, middle;  // the residual stream before the block, and between its halves
    Normed norm1, norm2;
    Tensor attended, mapped;  // what each half adds, before its gate
    std::unique_ptr<Sublayer> attention, mlp;
    std::string name;
  };
  static Normed make_norm(const Build& b, const std::string& name);
  static Block make_block(const Build& b);
  const Tensor& stream_after(std::size_t block) const {
    return block + 1 < blocks_.size() ? blocks_[block + 1].s : last_;
  }
  Tensor images(const Tensor& rows) const;
  // With shift, scale (and gate) from vector `first` of a modulation on.
  void norm(Ops& ops, const Modulation& m, std::int64_t first, const Tensor& s,
            const Normed& out) const;
  void norm_backward(Ops& ops, const Modulation& m, std::int64_t first, const Tensor& s,
                     const Normed& of, const Tensor& ds, const Tensor& dx) const;
  void add(Ops& ops, const Tensor& gate, const Tensor& s, const Tensor& x, const Tensor& y) const;
  // Into d_branch_ and the gate's gradient.
  void add_backward(Ops& ops, const Modulation& m, std::int64_t gate, const Tensor& x,
                    const Tensor& dy) const;
  // All of a block but its last addition.
  void forward_halves(Ops& ops, const Block& block) const;

  std::size_t recompute_;
  std::int64_t batch_, sequence_, width_;
  double eps_;
  std::vector<Block> blocks_;
  Modulation last_modulation_;
  Tensor last_;
  Normed last_norm_;
  Tensor ds_[2], dh_, d_branch_, d_time_[2];
};

}  // namespace warpath::models
