// The norms of a transformer, each behind a residual addition: s = x + residual, y = norm(s), by one kernel. The first one of
// a model has nothing to add.
#pragma once
#include "models/build.h"
#include "models/call.h"

namespace warpath::models {

class Norm {
 public:
  // `stays`: its input is kept even where blocks compute their activations again.
  Norm(const Build& b, const std::string& name, bool stays);

  // The input must lie in sum().
  void forward(Ops& ops) const;
  // The other summand must lie in output(), which the result overwrites.
  void forward_add(Ops& ops, const Tensor& residual) const;
  // dx = gradient of the sum: the norm's for dy, and ds. ds may be left out; dx is other memory.
  void backward(Ops& ops, const Tensor& dy, const Tensor& ds, const Tensor& dx) const;

  const Tensor& sum() const { return s_; }
  const Tensor& output() const { return y_; }

 private:
  bool rms_;
  double eps_;
  Parameter weight_, bias_;
  Tensor s_, y_, mean_, rstd_;
};

}  // namespace warpath::models
