// y[r] = x[r, 0] ∘ x[r, 1] ∘ … : the sum or the maximum of each row. All elements of a tensor are
// one row. Sums of floating-point numbers are taken in float and rounded once; a maximum passes NaN
// on.
#pragma once
#include "core/host/rung.h"

namespace warpath::reduce {

enum class Kind : int { sum, max };

struct Args {
  static constexpr const char* op = "reduce";
  Tensor x, y;
  Kind kind = Kind::sum;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "y = sum or max of x over the last axis")
        .in("x", &Args::x, {"rows...", "cols"}, {DType::f32, DType::f16, DType::bf16, DType::i32})
        .out("y", &Args::y, {"rows..."}, "x")
        .choice("kind", &Args::kind, {"sum", "max"})
        .scratch("scratch", &Args::scratch)
        .after({"transpose"});
  }
};

}  // namespace warpath::reduce
