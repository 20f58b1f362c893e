// Llama's MLP: y = (silu(x Wg) * (x Wu)) Wd, no biases.
#include "models/layers/projections.h"
#include "models/layers/sublayer.h"
#include "ops/elementwise/swiglu/swiglu.h"

namespace warpath::models {
namespace {

class LlamaMlp : public Sublayer {
 public:
  LlamaMlp(const Build& b, double deviation)
      : gate_up_(b, {{"mlp.gate_proj", b.config.hidden}, {"mlp.up_proj", b.config.hidden}},
                 b.config.width, "mlp.gate_up", {"mlp.gate", "mlp.up"}),
        wd_(Linear::out_in(b, "mlp.down_proj", b.config.hidden, b.config.width, deviation)),
        gated_(b.kept("mlp.gated", {b.rows(), b.config.hidden})),
        d_gated_(b.passing("d_mlp.gated", {b.rows(), b.config.hidden})),
        d_gate_(b.passing("d_mlp.gate", {b.rows(), b.config.hidden})),
        d_up_(b.passing("d_mlp.up", {b.rows(), b.config.hidden})),
        sum_(b.passing("d_sum", {b.rows(), b.config.width})) {}

  void forward(Ops& ops, const Tensor& x, const Tensor& y) override {
    gate_up_.forward(ops, x);
    if (const Tensor& both = gate_up_.all(); both.data) {
      swiglu::Packed args;
      args.x = reshaped(both, {both.shape[0], 2, both.shape[1] / 2}), args.y = gated_;
      ops.call(args);
    } else {
      swiglu::Forward args;
      args.gate = flat(gate()), args.up = flat(up()), args.y = flat(gated_);
      ops.call(args);
    }
    if (y.data) wd_.forward(ops, gated_, y);
  }

  void backward(Ops& ops, const Tensor& x, const Tensor& dy, const Tensor& dx) override {
    wd_.backward(ops, gated_, dy, d_gated_);
    swiglu::Backward args;
    args.gate = flat(gate()), args.up = flat(up()), args.dy = flat(d_gated_);
    args.dgate = flat(d_gate_), args.dup = flat(d_up_);
    ops.call(args);
    gate_up_[0].backward(ops, x, d_gate_, sum_);
    gate_up_[1].backward(ops, x, d_up_, dx, sum_);
  }

 private:
  const Tensor& gate() const { return gate_up_.result(0); }
  const Tensor& up() const { return gate_up_.result(1); }

  Projections gate_up_;
  Linear wd_;
  Tensor gated_, d_gated_, d_gate_, d_up_, sum_;
};

}  // namespace

std::unique_ptr<Sublayer> make_llama_mlp(const Build& b, double deviation) {
  return std::make_unique<LlamaMlp>(b, deviation);
}

}  // namespace warpath::models
