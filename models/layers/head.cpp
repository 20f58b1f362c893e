#include "models/layers/head.h"

#include "models/layers/linear.h"
#include "ops/matmul/matmul/matmul.h"
#include "ops/matmul/matvec/matvec.h"
#include "ops/softmax/cross_entropy/cross_entropy.h"

namespace warpath::models {

Head::Head(const Build& b, const Parameter& table)
    : table_(b.config.tied ? table
                           : b.parameters.matrix("lm_head.weight", b.config.vocabulary,
                                                 b.config.width, 0.02)),
      is_constant_(b.capacity > 0),
      labels_(b.inputs.add("labels", DType::i32, {b.rows()})),
      logits_(b.activations.add("logits", b.dtype(),
                                {b.capacity > 0 ? b.batch : b.rows(), b.config.vocabulary})),
      loss_(b.activations.add("loss", DType::f32, {b.rows()})),
      lse_(b.activations.add("lse", DType::f32, {b.rows()})),
      total_(b.inputs.add("mean_loss", DType::f32, {1})) {}

void Head::forward(Ops& ops, const Tensor& x) const {
  if (x.shape[0] <= few_rows) {
    matvec::Args args;
    args.x = x, args.w = table_.value, args.y = logits_, args.w_is_constant = is_constant_;
    ops.call(args);
    return;
  }
  matmul::Args args;
  args.a = matrix(x), args.b = transposed(table_.value), args.d = matrix(logits_);
  ops.call(args);
}

void Head::loss(Ops& ops) const {
  cross_entropy::Forward args;
  args.logits = logits_, args.labels = labels_;
  args.loss = loss_, args.lse = lse_, args.total = total_;
  ops.call(args);
}

void Head::backward(Ops& ops, const Tensor& x, const Tensor& dx, double scale) const {
  cross_entropy::Gradient args;  // in place
  args.logits = args.dlogits = logits_, args.labels = labels_;
  args.loss = loss_, args.lse = lse_, args.total = total_, args.grad_scale = scale;
  ops.call(args);

  matmul::Args to_x;
  to_x.a = matrix(logits_), to_x.b = matrix(table_.value), to_x.d = matrix(dx);
  ops.call(to_x);
  if (!table_.gradient.data) return;
  matmul::Args to_table;
  to_table.a = transposed(logits_), to_table.b = matrix(x), to_table.d = matrix(table_.gradient);
  ops.call(to_table);
}

}  // namespace warpath::models
