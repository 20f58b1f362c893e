// y[r] = the place of the largest (or the smallest) element of row r. Of equal elements the first counts, and NaN counts
// as larger (or smaller) than all numbers, as in PyTorch. A row without elements gives -1. x may have any strides: the
// argmax along another axis is that of the tensor with this axis moved to the end.
#pragma once
#include "core/host/rung.h"

namespace warpath::argmax {

enum class Kind : int { max, min };

struct Args {
  static constexpr const char* op = "argmax";
  Tensor x, y;
  Kind kind = Kind::max;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "y = index of the largest or smallest element of x over the last axis")
        .in("x", &Args::x, {"rows...", "cols"}, {DType::f32, DType::f16, DType::bf16, DType::i32})
        .strided()
        .out("y", &Args::y, {"rows..."}, std::vector<DType>{DType::i64})
        .index()
        .choice("kind", &Args::kind, {"max", "min"})
        .scratch("scratch", &Args::scratch)
        .after({"reduce", "dot"});
  }
};

}  // namespace warpath::argmax
