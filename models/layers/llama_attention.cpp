// Llama's attention: rotary positions, several heads of queries per head of keys and values, no biases.
#include "models/layers/cache.h"
#include "models/layers/projections.h"
#include "models/layers/sublayer.h"
#include "ops/attention/attention/attention.h"
#include "ops/attention/rope/rope.h"

namespace warpath::models {
namespace {

class LlamaAttention : public Sublayer {
 public:
  LlamaAttention(const Build& b, double deviation)
      : b_{b.batch, b.sequence},
        c_(b.config),
        qkv_(b,
             {{"self_attn.q_proj", c_.query_width()},
              {"self_attn.k_proj", c_.kv_width()},
              {"self_attn.v_proj", c_.kv_width()}},
             c_.width, "self_attn.qkv", {"self_attn.q", "self_attn.k", "self_attn.v"}),
        wo_(Linear::out_in(b, "self_attn.o_proj", c_.query_width(), c_.width, deviation)),
        cache_(b, "self_attn"),
        q_(qkv_.result(0)),
        k_(qkv_.result(1)),
        v_(qkv_.result(2)),
        o_(b.kept("self_attn.o", {b.rows(), c_.query_width()})),
        lse_(b.kept("self_attn.lse", DType::f32, {b.batch, c_.heads, b.sequence})),
        turned_(b.capacity > 0 ? b.kept("self_attn.turned", {b.rows(), c_.query_width()})
                               : Tensor{}),
        d_o_(b.passing("d_attn.o", {b.rows(), c_.query_width()})),
        dq_(b.passing("d_attn.q", {b.rows(), c_.query_width()})),
        dk_(b.passing("d_attn.k", {b.rows(), c_.kv_width()})),
        dv_(b.passing("d_attn.v", {b.rows(), c_.kv_width()})),
        sum_(b.passing("d_sum", {b.rows(), c_.width})) {}

  void forward(Ops& ops, const Tensor& x, const Tensor& y) override {
    qkv_.forward(ops, x);
    if (cache_.there()) {
      attend_cached(ops);
      if (y.data) wo_.forward(ops, o_, y);
      return;
    }
    auto turn = turning<rope::Forward>();
    turn.q = turn.q_out = of_queries(q_), turn.k = turn.k_out = of_keys(k_);
    ops.call(turn);
    attention::Forward args;
    args.q = of_queries(q_), args.k = of_keys(k_), args.v = of_keys(v_);
    args.o = of_queries(o_), args.lse = lse_, args.causal = true;
    ops.call(args);
    if (y.data) wo_.forward(ops, o_, y);
  }

  void backward(Ops& ops, const Tensor& x, const Tensor& dy, const Tensor& dx) override {
    wo_.backward(ops, o_, dy, d_o_);
    attention::Backward args;
    args.d_o = of_queries(d_o_), args.o = of_queries(o_), args.lse = lse_, args.causal = true;
    args.q = of_queries(q_), args.k = of_keys(k_), args.v = of_keys(v_);
    args.dq = of_queries(dq_), args.dk = of_keys(dk_), args.dv = of_keys(dv_);
    ops.call(args);
    auto turn = turning<rope::Backward>();
    turn.dq_out = turn.dq = of_queries(dq_), turn.dk_out = turn.dk = of_keys(dk_);
    ops.call(turn);
    qkv_[0].backward(ops, x, dq_, dx);
    qkv_[1].backward(ops, x, dk_, sum_, dx);
    qkv_[2].backward(ops, x, dv_, dx, sum_);
  }

 private:
  struct {
    std::int64_t batch, sequence;
  } b_;

  // The cache's kernel turns keys and queries on its way, except where keys are read before they are in the cache.
  void attend_cached(Ops& ops) const {
    auto write = turning<cache_write::Args>();
    write.k = of_keys(k_), write.v = of_keys(v_);
    if (cache_.opens(ops)) {
      auto turn = turning<rope::Forward>();
      turn.q = turn.q_out = of_queries(q_), turn.k = turn.k_out = of_keys(k_);
      turn.positions = cache_.positions();
      ops.call(turn);
      write.pairs = cache_write::Pairs::none;
      return cache_.open(ops, write, of_queries(q_), of_queries(o_), lse_);
    }
    write.q = of_queries(q_), write.q_out = of_queries(turned_);
    cache_.attend(ops, write, of_queries(turned_), of_queries(o_), lse_);
  }

  template <class Args>
  Args turning() const {
    Args args;
    args.base = c_.rope_base, args.factor = c_.rope_factor;
    args.low_freq_factor = c_.rope_low, args.high_freq_factor = c_.rope_high;
    args.original_max_position = c_.rope_original_context;
    return args;
  }
  Tensor of_queries(const Tensor& t) const {
    return heads(t, 0, b_.batch, b_.sequence, c_.heads, c_.head_dim);
  }
  Tensor of_keys(const Tensor& t) const {
    return heads(t, 0, b_.batch, b_.sequence, c_.kv_heads, c_.head_dim);
  }

  Config c_;
  Projections qkv_;
  Linear wo_;
  Cache cache_;
  Tensor q_, k_, v_, o_, lse_, turned_, d_o_, dq_, dk_, dv_, sum_;
};

}  // namespace

std::unique_ptr<Sublayer> make_llama_attention(const Build& b, double deviation) {
  return std::make_unique<LlamaAttention>(b, deviation);
}

}  // namespace warpath::models
