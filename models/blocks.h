// The blocks of a transformer and the norm behind them:
//   each block:  s = s + attention(norm1(s));  s = s + mlp(norm2(s))
//   output = norm(s)
// A residual addition and the norm behind it are one kernel, so a block's last addition is done by the next block's norm.
#pragma once
#include <memory>
#include <vector>

#include "models/layers/norm.h"
#include "models/layers/sublayer.h"

namespace warpath::models {

class Blocks {
 public:
  // `b` is that of the model; the first `recompute` blocks compute their activations again.
  Blocks(const Build& b, std::int64_t recompute);

  // Where s must lie before forward().
  const Tensor& input() const { return blocks_[0].norm1.sum(); }
  const Tensor& output() const { return last_norm_->output(); }
  // Where the gradient of output() must lie before backward(), which returns that of input().
  const Tensor& d_output() const { return dh_; }

  void forward(Ops& ops) const;
  Tensor backward(Ops& ops) const;

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

  std::size_t recompute_;
  std::vector<Block> blocks_;
  std::unique_ptr<Norm> last_norm_;
  Tensor ds_[2], dh_;
};

}  // namespace warpath::models
