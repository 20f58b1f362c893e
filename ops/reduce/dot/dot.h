// z[r] = x[r, 0] * y[r, 0] + x[r, 1] * y[r, 1] + … : the dot product of each pair of rows. All elements
// of two tensors are one row. Products are added up in float and rounded once. x and y may have any strides: the sums along
// another axis are those of the tensors with this axis moved to the end.
#pragma once
#include "core/host/rung.h"

namespace warpath::dot {

struct Args {
  static constexpr const char* op = "dot";
  Tensor x, y, z;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "z = sum of x * y over the last axis")
        .in("x", &Args::x, {"rows...", "cols"}, {DType::f32, DType::f16, DType::bf16})
        .strided()
        .in("y", &Args::y, {"rows...", "cols"}, "x")
        .strided()
        .out("z", &Args::z, {"rows..."}, "x")
        .scratch("scratch", &Args::scratch)
        .after({"reduce"});
  }
};

}  // namespace warpath::dot
