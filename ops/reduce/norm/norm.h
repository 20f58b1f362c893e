// y[r] = the norm of row r: the root of the sum of squares, the sum of magnitudes, the largest magnitude, or
// (sum of |x|^p)^(1/p). All elements of a tensor are one row. Sums are taken in float and rounded once; squares beyond the
// range of float give infinity, as in PyTorch. NaN in a row makes its norm NaN. x may have any strides: the norm along another axis
// is that of the tensor with this axis moved to the end.
#pragma once
#include "core/host/rung.h"

namespace warpath::norm {

enum class Kind : int { two, one, infinity, power };

struct Args {
  static constexpr const char* op = "norm";
  Tensor x, y;
  Kind kind = Kind::two;
  double p = 3;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "y = norm of x over the last axis: of order 2, 1, infinity or p")
        .in("x", &Args::x, {"rows...", "cols"}, {DType::f32, DType::f16, DType::bf16})
        .strided()
        .out("y", &Args::y, {"rows..."}, "x")
        .choice("kind", &Args::kind, {"two", "one", "infinity", "power"})
        .real("p", &Args::p, 3)  // of "power" alone; above 0
        .scratch("scratch", &Args::scratch)
        .after({"reduce", "argmax"});
  }
};

}  // namespace warpath::norm
