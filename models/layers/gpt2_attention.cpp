// GPT-2's attention: one product makes queries, keys and values, which attention reads where they lie.
#include "models/layers/cache.h"
#include "models/layers/linear.h"
#include "models/layers/sublayer.h"
#include "ops/attention/attention/attention.h"

namespace warpath::models {
namespace {

class Gpt2Attention : public Sublayer {
 public:
  Gpt2Attention(const Build& b, double deviation)
      : batch_(b.batch),
        sequence_(b.sequence),
        heads_(b.config.heads),
        dim_(b.config.head_dim),
        in_(Linear::in_out(b, "attn.c_attn", b.config.width, 3 * b.config.width, 0.02)),
        out_(Linear::in_out(b, "attn.c_proj", b.config.width, b.config.width, deviation)),
        cache_(b, "attn"),
        qkv_(b.kept("attn.qkv", {b.rows(), 3 * b.config.width})),
        o_(b.kept("attn.o", {b.rows(), b.config.width})),
        lse_(b.kept("attn.lse", DType::f32, {b.batch, heads_, b.sequence})),
        d_o_(b.passing("d_attn.o", {b.rows(), b.config.width})),
        d_qkv_(b.passing("d_attn.qkv", {b.rows(), 3 * b.config.width})) {}

  void forward(Ops& ops, const Tensor& x, const Tensor& y) override {
    in_.forward(ops, x, qkv_);
    if (cache_.there()) {
      attend_cached(ops);
      if (y.data) out_.forward(ops, o_, y);
      return;
    }
    attention::Forward args;
    args.q = part(qkv_, 0), args.k = part(qkv_, 1), args.v = part(qkv_, 2);
    args.o = part(o_, 0), args.lse = lse_, args.causal = true;
    ops.call(args);
    if (y.data) out_.forward(ops, o_, y);
  }

  void backward(Ops& ops, const Tensor& x, const Tensor& dy, const Tensor& dx) override {
    out_.backward(ops, o_, dy, d_o_);
    attention::Backward args;
    args.d_o = part(d_o_, 0), args.o = part(o_, 0), args.lse = lse_, args.causal = true;
    args.q = part(qkv_, 0), args.k = part(qkv_, 1), args.v = part(qkv_, 2);
    args.dq = part(d_qkv_, 0), args.dk = part(d_qkv_, 1), args.dv = part(d_qkv_, 2);
    ops.call(args);
    in_.backward(ops, x, d_qkv_, dx);
  }

 private:
  void attend_cached(Ops& ops) const {
    cache_write::Args write;
    write.pairs = cache_write::Pairs::none;
    write.k = part(qkv_, 1), write.v = part(qkv_, 2);
    if (cache_.opens(ops))
      cache_.open(ops, write, part(qkv_, 0), part(o_, 0), lse_);
    else
      cache_.attend(ops, write, part(qkv_, 0), part(o_, 0), lse_);
  }

  Tensor part(const Tensor& t, std::int64_t i) const {
    return heads(t, i * heads_ * dim_, batch_, sequence_, heads_, dim_);
  }

  std::int64_t batch_, sequence_, heads_, dim_;
  Linear in_, out_;
  Cache cache_;
  Tensor qkv_, o_, lse_, d_o_, d_qkv_;
};

}  // namespace

std::unique_ptr<Sublayer> make_gpt2_attention(const Build& b, double deviation) {
  return std::make_unique<Gpt2Attention>(b, deviation);
}

}  // namespace warpath::models
