// Cross entropy between rows of logits and labels, and its gradient.
//   lse[r]  = log(sum over c of exp(logits[r, c]))
//   loss[r] = (1 - e) * (lse[r] - logits[r, label]) + e * (lse[r] - mean over c of logits[r, c])
//   total   = sum of loss; for reduction "mean" divided by the number of labels that count
//   dlogits[r, c] = scale * (exp(logits[r, c] - lse[r]) - e / words - (1 - e) where c is the label)
// e is label_smoothing. cross_entropy_gradient writes dlogits in the same pass, over the logits
// where the caller wants that; its scale is grad_scale, divided as total is.
// cross_entropy_backward computes dlogits later, from lse, for whatever gradients come in. "none" is
// "sum" for who looks at loss and not at total.
// A label equal to ignore_index does not count: its loss and its row of dlogits are zero. A label
// that is neither that nor a word gives NaN in its loss and its row. As in PyTorch, a mean over no
// label is NaN, and so is the loss of a row of nothing but -inf.
#pragma once
#include "core/host/rung.h"

namespace warpath::cross_entropy {

enum class Reduction : int { none, mean, sum };

struct Forward {
  static constexpr const char* op = "cross_entropy";
  Tensor logits, labels, loss, lse, total;
  Reduction reduction = Reduction::mean;
  std::int64_t ignore_index = -100;
  double label_smoothing = 0;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "loss of each row of logits against its label, and of all together")
        .in("logits", &Forward::logits, {"rows...", "words"}, {DType::f32, DType::f16, DType::bf16})
        .in("labels", &Forward::labels, {"rows..."}, {DType::i64, DType::i32})
        .index()
        .out("loss", &Forward::loss, {"rows..."}, {DType::f32})
        .out("lse", &Forward::lse, {"rows..."}, {DType::f32})
        .out("total", &Forward::total, {"1"}, {DType::f32})
        .choice("reduction", &Forward::reduction, {"none", "mean", "sum"}, Reduction::mean)
        .integer("ignore_index", &Forward::ignore_index, -100)
        .real("label_smoothing", &Forward::label_smoothing, 0)
        .scratch("scratch", &Forward::scratch)
        .after({"softmax"});
  }
};

struct Gradient {
  static constexpr const char* op = "cross_entropy_gradient";
  Tensor logits, labels, loss, lse, total, dlogits;
  Reduction reduction = Reduction::mean;
  std::int64_t ignore_index = -100;
  double label_smoothing = 0, grad_scale = 1;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "cross_entropy and the gradient of its logits in one pass")
        .in("logits", &Gradient::logits, {"rows...", "words"},
            {DType::f32, DType::f16, DType::bf16})
        .in("labels", &Gradient::labels, {"rows..."}, {DType::i64, DType::i32})
        .index()
        .out("loss", &Gradient::loss, {"rows..."}, {DType::f32})
        .out("lse", &Gradient::lse, {"rows..."}, {DType::f32})
        .out("total", &Gradient::total, {"1"}, {DType::f32})
        .out("dlogits", &Gradient::dlogits, {"rows...", "words"}, "logits")
        .in_place("logits")
        .choice("reduction", &Gradient::reduction, {"none", "mean", "sum"}, Reduction::mean)
        .integer("ignore_index", &Gradient::ignore_index, -100)
        .real("label_smoothing", &Gradient::label_smoothing, 0)
        .real("grad_scale", &Gradient::grad_scale, 1)
        .scratch("scratch", &Gradient::scratch);
  }
};

// dlogits = dtotal * gradient of total + sum over r of dloss[r] * gradient of loss[r] + dlse[r] *
// gradient of lse[r], from lse as the forward pass left it. What is left out counts as zero.
struct Backward {
  static constexpr const char* op = "cross_entropy_backward";
  Tensor logits, labels, lse, dtotal, dloss, dlse, dlogits;
  Reduction reduction = Reduction::mean;
  std::int64_t ignore_index = -100;
  double label_smoothing = 0;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "dlogits = gradient of cross_entropy from logits, labels and lse")
        .in("logits", &Backward::logits, {"rows...", "words"},
            {DType::f32, DType::f16, DType::bf16})
        .in("labels", &Backward::labels, {"rows..."}, {DType::i64, DType::i32})
        .index()
        .in("lse", &Backward::lse, {"rows..."}, {DType::f32})
        .in("dtotal", &Backward::dtotal, {"1"}, {DType::f32})
        .optional()
        .in("dloss", &Backward::dloss, {"rows..."}, {DType::f32})
        .optional()
        .in("dlse", &Backward::dlse, {"rows..."}, {DType::f32})
        .optional()
        .out("dlogits", &Backward::dlogits, {"rows...", "words"}, "logits")
        .in_place("logits")
        .choice("reduction", &Backward::reduction, {"none", "mean", "sum"}, Reduction::mean)
        .integer("ignore_index", &Backward::ignore_index, -100)
        .real("label_smoothing", &Backward::label_smoothing, 0)
        .scratch("scratch", &Backward::scratch);
  }
};

}  // namespace warpath::cross_entropy
