#include "models/block_costs.h"

#include "models/blocks.h"
#include "models/transformer.h"
#include "ops/attention/rope/rope.h"
#include "ops/elementwise/fused_elementwise/fused_elementwise.h"
#include "ops/elementwise/gelu/gelu.h"
#include "ops/elementwise/silu/silu.h"
#include "ops/elementwise/vector_add/vector_add.h"
#include "ops/matmul/matmul/matmul.h"
#include "ops/norm/layer_norm/layer_norm.h"
#include "ops/norm/rms_norm/rms_norm.h"
#include "ops/softmax/softmax/softmax.h"

namespace warpath::models {
namespace {

// A forward pass in which every operation reads its input from memory and writes its result there.
class Apart {
 public:
  Apart(Ops& ops, const Config& c, const Batch& batch, DType dtype)
      : ops_(ops), c_(c), batch_(batch), dtype_(dtype), rows_(batch.size * batch.sequence) {}

  void attention_half() {
    ops_.set_layer("attention");
    const bool gpt2 = c_.family == Family::gpt2;
    norm();
    if (gpt2) {
      product(c_.width, 3 * c_.width);
    } else {
      product(c_.width, c_.query_width());
      product(c_.width, c_.kv_width());
      product(c_.width, c_.kv_width());
      rope::Forward turn;
      turn.q = turn.q_out = heads(c_.heads), turn.k = turn.k_out = heads(c_.kv_heads);
      ops_.call(turn);
    }
    scores();
    product(c_.query_width(), c_.width);
    add(c_.width);
  }

  void mlp_half() {
    ops_.set_layer("mlp");
    norm();
    product(c_.width, c_.hidden);
    if (c_.family == Family::gpt2) {
      gelu::Forward args;
      args.x = args.y = all(c_.hidden);
      ops_.call(args);
    } else {
      product(c_.width, c_.hidden);
      silu::Forward args;
      args.x = args.y = all(c_.hidden);
      ops_.call(args);
      add(c_.hidden);  // a multiplication: the same bytes
    }
    product(c_.hidden, c_.width);
    add(c_.width);
  }

 private:
  Tensor make(std::initializer_list<std::int64_t> shape) { return arena_.add("", dtype_, shape); }
  Tensor all(std::int64_t width) { return flat(make({rows_, width})); }
  Tensor heads(std::int64_t count) {
    return make({batch_.size, batch_.sequence, count, c_.head_dim});
  }

  void product(std::int64_t in, std::int64_t out) {
    matmul::Args args;
    args.a = make({1, rows_, in}), args.b = make({1, in, out}), args.d = make({1, rows_, out});
    ops_.call(args);
    if (c_.family != Family::gpt2) return;
    fused_elementwise::Args bias;
    bias.x = bias.y = make({rows_, out}), bias.bias = make({out});
    ops_.call(bias);
  }

  void norm() {
    if (c_.family == Family::gpt2) {
      layer_norm::Forward args;
      args.x = make({rows_, c_.width}), args.y = make({rows_, c_.width});
      args.weight = make({c_.width}), args.bias = make({c_.width});
      ops_.call(args);
    } else {
      rms_norm::Forward args;
      args.x = make({rows_, c_.width}), args.y = make({rows_, c_.width});
      args.weight = make({c_.width});
      ops_.call(args);
    }
  }

  // Scores, probabilities and their product with the values. No key is left out: a product knows no mask.
  void scores() {
    const std::int64_t heads = batch_.size * c_.heads, t = batch_.sequence, dim = c_.head_dim;
    matmul::Args qk;
    qk.a = make({heads, t, dim}), qk.b = make({heads, dim, t}), qk.d = make({heads, t, t});
    ops_.call(qk);
    softmax::Forward args;
    args.x = make({heads * t, t}), args.y = make({heads * t, t});
    ops_.call(args);
    matmul::Args pv;
    pv.a = make({heads, t, t}), pv.b = make({heads, t, dim}), pv.d = make({heads, t, dim});
    ops_.call(pv);
  }

  void add(std::int64_t width) {
    vector_add::Args args;
    args.a = all(width), args.b = all(width), args.c = all(width);
    ops_.call(args);
  }

  Ops& ops_;
  Config c_;
  Batch batch_;
  DType dtype_;
  std::int64_t rows_;
  Arena arena_{"block"};  // counts only
};

}  // namespace

BlockCosts block_costs(Backend& backend, const Config& config, const Batch& batch, DType dtype) {
  Config one = config;
  one.layers = 1;
  Memory memory;  // counts only
  Parameters parameters(memory, dtype);
  Build build = outside(one, batch, parameters, memory);
  build.prefix.clear();
  const Blocks block(build, false);
  Ops ops(backend, false);
  BlockCosts costs;
  ops.begin_profile();
  block.forward(ops);
  costs.forward = ops.end_profile();
  costs.forward.erase(costs.forward.begin());  // the first block's norm adds nothing
  ops.begin_profile();
  block.backward(ops);
  costs.backward = ops.end_profile();
  costs.backward.erase(costs.backward.begin());  // the last norm
  ops.begin_profile();
  Apart apart(ops, one, batch, dtype);
  apart.attention_half();
  apart.mlp_half();
  costs.apart = ops.end_profile();
  return costs;
}

}  // namespace warpath::models
