// The head of a language model and its loss in one op, with both gradients, and the logits never
// whole in memory.
//   logits  = hidden @ weight^T, rounded to the type of hidden
//   loss    = cross entropy of each row of logits against its label, as cross_entropy has it
//   total   = sum of loss; for reduction "mean" divided by the number of labels that count
//   dlogits = grad_scale * gradient of total by logits, rounded to the type of hidden
//   dhidden = dlogits @ weight,   dweight = dlogits^T @ hidden, summed in float and rounded once
// Either gradient may be left out; without both, the loss alone is computed. Rows are taken in chunks; logits and dlogits
// of one chunk lie in scratch memory.
#pragma once
#include "core/host/rung.h"

namespace warpath::linear_cross_entropy {

enum class Reduction : int { none, mean, sum };

struct Args {
  static constexpr const char* op = "linear_cross_entropy";
  Tensor hidden, weight, labels, loss, total, dhidden, dweight;
  Reduction reduction = Reduction::mean;
  std::int64_t ignore_index = -100;
  double label_smoothing = 0, grad_scale = 1;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "cross entropy of hidden @ weight^T, with the gradients of both")
        .in("hidden", &Args::hidden, {"rows...", "width"}, {DType::f32, DType::f16, DType::bf16})
        .in("weight", &Args::weight, {"words", "width"}, "hidden")
        .in("labels", &Args::labels, {"rows..."}, {DType::i64, DType::i32})
        .index()
        .out("loss", &Args::loss, {"rows..."}, {DType::f32})
        .out("total", &Args::total, {"1"}, {DType::f32})
        .out("dhidden", &Args::dhidden, {"rows...", "width"}, "hidden")
        .optional()
        .out("dweight", &Args::dweight, {"words", "width"}, "hidden")
        .optional()
        .choice("reduction", &Args::reduction, {"none", "mean", "sum"}, Reduction::mean)
        .integer("ignore_index", &Args::ignore_index, -100)
        .real("label_smoothing", &Args::label_smoothing, 0)
        .real("grad_scale", &Args::grad_scale, 1)
        .scratch("scratch", &Args::scratch)
        .after({"cross_entropy", "matmul"});
  }

  std::int64_t rows() const { return hidden.shape[0]; }
  std::int64_t width() const { return hidden.shape[1]; }
  std::int64_t words() const { return weight.shape[0]; }
  bool has_dhidden() const { return dhidden.rank > 0; }
  bool has_dweight() const { return dweight.rank > 0; }
};

}  // namespace warpath::linear_cross_entropy
