// c[r, c] = a[r, c] + b[r, c] for matrices whose rows and columns may have any strides; the sum is taken in float and
// rounded once.
#pragma once
#include "core/host/rung.h"

namespace warpath::matrix_add {

struct Args {
  static constexpr const char* op = "matrix_add";
  Tensor a, b, c;

  static Contract contract() {
    return Contract(op, "c = a + b, matrices with any strides")
        .in("a", &Args::a, {"rows", "cols"}, {DType::f32, DType::f16, DType::bf16})
        .strided()
        .in("b", &Args::b, {"rows", "cols"}, "a")
        .strided()
        .out("c", &Args::c, {"rows", "cols"}, "a")
        .after({"vector_add"});
  }
};

}  // namespace warpath::matrix_add
