// ViT's MLP: y = gelu(x W1 + b1) W2 + b2, GELU by the error function.
#include "models/layers/linear.h"
#include "models/layers/sublayer.h"
#include "ops/elementwise/gelu/gelu.h"

namespace warpath::models {
namespace {

class VitMlp : public Sublayer {
 public:
  VitMlp(const Build& b, double deviation)
      : in_(Linear::out_in_bias(b, "intermediate.dense", b.config.width, b.config.hidden, 0.02)),
        out_(Linear::out_in_bias(b, "output.dense", b.config.hidden, b.config.width, deviation)),
        before_(b.kept("mlp.before", {b.rows(), b.config.hidden})),
        after_(b.kept("mlp.after", {b.rows(), b.config.hidden})),
        d_after_(b.passing("d_mlp", {b.rows(), b.config.hidden})) {}

  void forward(Ops& ops, const Tensor& x, const Tensor& y) override {
    in_.forward(ops, x, before_);
    gelu::Forward args;
    args.x = flat(before_), args.y = flat(after_);
    ops.call(args);
    if (y.data) out_.forward(ops, after_, y);
  }

  void backward(Ops& ops, const Tensor& x, const Tensor& dy, const Tensor& dx) override {
    out_.backward(ops, after_, dy, d_after_);
    gelu::Backward args;  // in place
    args.x = flat(before_), args.dy = flat(d_after_), args.dx = flat(d_after_);
    ops.call(args);
    in_.backward(ops, x, d_after_, dx);
  }

 private:
  Linear in_, out_;
  Tensor before_, after_, d_after_;
};

}  // namespace

std::unique_ptr<Sublayer> make_vit_mlp(const Build& b, double deviation) {
  return std::make_unique<VitMlp>(b, deviation);
}

}  // namespace warpath::models
