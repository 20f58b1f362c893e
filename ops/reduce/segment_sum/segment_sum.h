// y[s] = the sum, the mean or the maximum of rows offsets[s] to offsets[s + 1] of x: segments of any length in one tensor.
// Offsets ascend and lie in [0, n]; equal ones make an empty segment, whose sum is 0, whose mean is NaN and whose maximum
// is -inf. Rows before the first and after the last offset are in no segment. Sums are taken in float and rounded once; a
// maximum passes NaN on. Columns are independent of each other.
#pragma once
#include "core/host/rung.h"

namespace warpath::segment_sum {

enum class Kind : int { sum, mean, max };

struct Args {
  static constexpr const char* op = "segment_sum";
  Tensor x, offsets, y;
  Kind kind = Kind::sum;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "y = sum, mean or max of the rows of each segment of x")
        .in("x", &Args::x, {"n", "cols"}, {DType::f32, DType::f16, DType::bf16})
        .in("offsets", &Args::offsets, {"segments+1"}, {DType::i64, DType::i32})
        .index()
        .out("y", &Args::y, {"segments", "cols"}, "x")
        .choice("kind", &Args::kind, {"sum", "mean", "max"})
        .scratch("scratch", &Args::scratch)
        .after({"reduce"});
  }
};

}  // namespace warpath::segment_sum
