// y[r, i] = x[r, 0] ∘ x[r, 1] ∘ … ∘ x[r, i]: prefix results along each row. All elements of a tensor are one row.
//   kind       sum, max or product; any associative operator works the same way
//   exclusive  y[r, i] leaves x[r, i] out; the first element of a row is the operator's identity
//   reverse    from the end of the row to its beginning: the gradient of a prefix sum is a prefix sum in reverse
//   heads      where it is not zero, a new segment begins, and nothing crosses its border
// Sums and products of floating-point numbers are taken in float and rounded once; integers wrap; a maximum passes NaN
// on.
#pragma once
#include "core/host/rung.h"

namespace warpath::scan {

enum class Kind : int { sum, max, product };

struct Args {
  static constexpr const char* op = "scan";
  Tensor x, heads, y;
  Kind kind = Kind::sum;
  bool exclusive = false, reverse = false;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "y = prefix sums, maxima or products of x along the last axis")
        .in("x", &Args::x, {"rows...", "cols"},
            {DType::f32, DType::f16, DType::bf16, DType::i32, DType::i64})
        .in("heads", &Args::heads, {"rows...", "cols"}, {DType::boolean})
        .optional()
        .out("y", &Args::y, {"rows...", "cols"}, "x")
        .choice("kind", &Args::kind, {"sum", "max", "product"})
        .boolean("exclusive", &Args::exclusive, false)
        .boolean("reverse", &Args::reverse, false)
        .scratch("scratch", &Args::scratch)
        .after({"reduce"});
  }
};

}  // namespace warpath::scan
