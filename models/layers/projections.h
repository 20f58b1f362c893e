// Several linear layers of one input, and their results: q, k and v; gate and up.
//
// Their weights lie one behind the other in memory. When a model writes one token per text, one product makes all results,
// side by side in each row: one launch in place of several, each of which would have to start reading the weights again.
#pragma once
#include "models/layers/linear.h"

namespace warpath::models {

class Projections {
 public:
  // `results` names the activations, as many as there are outputs, and `name` the one that has them all.
  Projections(const Build& b, const std::vector<Linear::Output>& outputs, std::int64_t in,
              const std::string& name, const std::vector<std::string>& results)
      : each_(Linear::out_in_all(b, outputs, in, 0.02)) {
    if (b.capacity > 0 && b.sequence == 1) joined_ = Linear::joined(each_, b.rows());
    std::int64_t wide = 0;
    for (const Linear::Output& o : outputs) wide += o.out;
    if (joined_) all_ = b.kept(name, {b.rows(), wide});
    std::int64_t first = 0;
    for (std::size_t i = 0; i < outputs.size(); first += outputs[i++].out)
      results_.push_back(joined_ ? columns(all_, first, outputs[i].out)
                                 : b.kept(results[i], {b.rows(), outputs[i].out}));
  }

  // (rows, out) each; parts of the rows of one tensor where there is one product.
  const Tensor& result(std::size_t i) const { return results_[i]; }
  // (rows, all outputs); none where there are several products.
  const Tensor& all() const { return all_; }
  const Linear& operator[](std::size_t i) const { return each_[i]; }

  void forward(Ops& ops, const Tensor& x) const {
    if (joined_) return joined_->forward(ops, x, all_);
    for (std::size_t i = 0; i < each_.size(); ++i) each_[i].forward(ops, x, results_[i]);
  }

 private:
  std::vector<Linear> each_;
  std::optional<Linear> joined_;
  Tensor all_;
  std::vector<Tensor> results_;
};

}  // namespace warpath::models
