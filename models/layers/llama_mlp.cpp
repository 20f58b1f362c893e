// Llama's MLP: y = (silu(x Wg) * (x Wu)) Wd, no biases.
#include "models/layers/linear.h"
#include "models/layers/sublayer.h"
#include "ops/elementwise/swiglu/swiglu.h"

namespace warpath::models {
namespace {

class LlamaMlp : public Sublayer {
 public:
  LlamaMlp(const Build& b, double deviation)
      : wg_(Linear::out_in(b, "mlp.gate_proj", b.config.width, b.config.hidden, 0.02)),
        wu_(Linear::out_in(b, "mlp.up_proj", b.config.width, b.config.hidden, 0.02)),
        wd_(Linear::out_in(b, "mlp.down_proj", b.config.hidden, b.config.width, deviation)),
        gate_(b.kept("mlp.gate", {b.rows(), b.config.hidden})),
        up_(b.kept("mlp.up", {b.rows(), b.config.hidden})),
        gated_(b.kept("mlp.gated", {b.rows(), b.config.hidden})),
        d_gated_(b.passing("d_mlp.gated", {b.rows(), b.config.hidden})),
        d_gate_(b.passing("d_mlp.gate", {b.rows(), b.config.hidden})),
        d_up_(b.passing("d_mlp.up", {b.rows(), b.config.hidden})),
        sum_(b.passing("d_sum", {b.rows(), b.config.width})) {}

  void forward(Ops& ops, const Tensor& x, const Tensor& y) override {
    wg_.forward(ops, x, gate_);
    wu_.forward(ops, x, up_);
    swiglu::Forward args;
    args.gate = flat(gate_), args.up = flat(up_), args.y = flat(gated_);
    ops.call(args);
    if (y.data) wd_.forward(ops, gated_, y);
  }

  void backward(Ops& ops, const Tensor& x, const Tensor& dy, const Tensor& dx) override {
    wd_.backward(ops, gated_, dy, d_gated_);
    swiglu::Backward args;
    args.gate = flat(gate_), args.up = flat(up_), args.dy = flat(d_gated_);
    args.dgate = flat(d_gate_), args.dup = flat(d_up_);
    ops.call(args);
    wg_.backward(ops, x, d_gate_, sum_);
    wu_.backward(ops, x, d_up_, dx, sum_);
  }

 private:
  Linear wg_, wu_, wd_;
  Tensor gate_, up_, gated_, d_gated_, d_gate_, d_up_, sum_;
};

}  // namespace

std::unique_ptr<Sublayer> make_llama_mlp(const Build& b, double deviation) {
  return std::make_unique<LlamaMlp>(b, deviation);
}

}  // namespace warpath::models
