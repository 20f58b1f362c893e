// ViT's attention: every token sees all tokens of its image; queries, keys and values by products of their own, with biases.
#include "models/layers/linear.h"
#include "models/layers/sublayer.h"
#include "ops/attention/attention/attention.h"

namespace warpath::models {
namespace {

class VitAttention : public Sublayer {
 public:
  VitAttention(const Build& b, double deviation)
      : batch_(b.batch),
        sequence_(b.sequence),
        heads_(b.config.heads),
        dim_(b.config.head_dim),
        wq_(square(b, "attention.attention.query", 0.02)),
        wk_(square(b, "attention.attention.key", 0.02)),
        wv_(square(b, "attention.attention.value", 0.02)),
        wo_(square(b, "attention.output.dense", deviation)),
        q_(b.kept("attention.q", {b.rows(), b.config.width})),
        k_(b.kept("attention.k", {b.rows(), b.config.width})),
        v_(b.kept("attention.v", {b.rows(), b.config.width})),
        o_(b.kept("attention.o", {b.rows(), b.config.width})),
        lse_(b.kept("attention.lse", DType::f32, {b.batch, heads_, b.sequence})),
        d_o_(b.passing("d_attn.o", {b.rows(), b.config.width})),
        dq_(b.passing("d_attn.q", {b.rows(), b.config.width})),
        dk_(b.passing("d_attn.k", {b.rows(), b.config.width})),
        dv_(b.passing("d_attn.v", {b.rows(), b.config.width})),
        sum_(b.passing("d_sum", {b.rows(), b.config.width})) {}

  void forward(Ops& ops, const Tensor& x, const Tensor& y) override {
    wq_.forward(ops, x, q_);
    wk_.forward(ops, x, k_);
    wv_.forward(ops, x, v_);
    attention::Forward args;
    args.q = split(q_), args.k = split(k_), args.v = split(v_);
    args.o = split(o_), args.lse = lse_;
    ops.call(args);
    if (y.data) wo_.forward(ops, o_, y);
  }

  void backward(Ops& ops, const Tensor& x, const Tensor& dy, const Tensor& dx) override {
    wo_.backward(ops, o_, dy, d_o_);
    attention::Backward args;
    args.d_o = split(d_o_), args.o = split(o_), args.lse = lse_;
    args.q = split(q_), args.k = split(k_), args.v = split(v_);
    args.dq = split(dq_), args.dk = split(dk_), args.dv = split(dv_);
    ops.call(args);
    wq_.backward(ops, x, dq_, dx);
    wk_.backward(ops, x, dk_, sum_, dx);
    wv_.backward(ops, x, dv_, dx, sum_);
  }

 private:
  static Linear square(const Build& b, const std::string& name, double deviation) {
    return Linear::out_in_bias(b, name, b.config.width, b.config.width, deviation);
  }
  Tensor split(const Tensor& t) const { return heads(t, 0, batch_, sequence_, heads_, dim_); }

  std::int64_t batch_, sequence_, heads_, dim_;
  Linear wq_, wk_, wv_, wo_;
  Tensor q_, k_, v_, o_, lse_, d_o_, dq_, dk_, dv_, sum_;
};

}  // namespace

std::unique_ptr<Sublayer> make_vit_attention(const Build& b, double deviation) {
  return std::make_unique<VitAttention>(b, deviation);
}

}  // namespace warpath::models
