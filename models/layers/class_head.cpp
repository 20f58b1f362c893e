#include "models/layers/class_head.h"

#include "models/floats.h"
#include "models/layers/patch_embedding.h"
#include "ops/layout/embedding/embedding.h"
#include "ops/softmax/cross_entropy/cross_entropy.h"

namespace warpath::models {
namespace {

// Names of the classifier have no prefix.
Build bare(Build b) {
  b.prefix.clear();
  return b;
}

}  // namespace

ClassHead::ClassHead(const Build& b)
    : linear_(Linear::out_in_bias(bare(b), "classifier", b.config.width, b.config.classes, 0.02)),
      labels_(b.inputs.add("labels", DType::i32, {b.batch})),
      pooled_(b.activations.add("pooled", b.dtype(), {b.batch, b.config.width})),
      logits_(b.activations.add("logits", b.dtype(), {b.batch, b.config.classes})),
      loss_(b.activations.add("loss", DType::f32, {b.batch})),
      lse_(b.activations.add("lse", DType::f32, {b.batch})),
      total_(b.inputs.add("mean_loss", DType::f32, {1})),
      d_pooled_(b.passing("d_pooled", {b.batch, b.config.width})),
      ids_(b.activations.add("class rows", DType::i32, {1, b.batch})) {}

void ClassHead::forward(Ops& ops, const Tensor& x) const {
  embedding::Forward gather;
  gather.table = x, gather.ids = ids_;
  gather.y = reshaped(pooled_, {1, pooled_.shape[0], pooled_.shape[1]});
  ops.call(gather);
  linear_.forward(ops, pooled_, logits_);
}

void ClassHead::loss(Ops& ops) const {
  cross_entropy::Forward args;
  args.logits = logits_, args.labels = labels_;
  args.loss = loss_, args.lse = lse_, args.total = total_;
  ops.call(args);
}

void ClassHead::backward(Ops& ops, const Tensor& dx, double scale) const {
  cross_entropy::Gradient args;  // in place
  args.logits = args.dlogits = logits_, args.labels = labels_;
  args.loss = loss_, args.lse = lse_, args.total = total_, args.grad_scale = scale;
  ops.call(args);
  linear_.backward(ops, pooled_, logits_, d_pooled_);
  embedding::Backward scatter;  // tokens that no class was read from get zeros
  scatter.dy = reshaped(d_pooled_, {1, pooled_.shape[0], pooled_.shape[1]});
  scatter.ids = ids_, scatter.table = scatter.dtable = dx;
  ops.call(scatter);
}

void ClassHead::upload_constants(const harness::Device& device, std::int64_t sequence) const {
  upload_ints(device, ids_, rows_of_each(ids_.shape[1], sequence, 0, 1));
}

}  // namespace warpath::models
