// y[c, r] = x[r, c]: a copy in another order, so every bit must arrive.
#pragma once
#include "core/host/rung.h"

namespace warpath::transpose {

struct Args {
  static constexpr const char* op = "transpose";
  Tensor x, y;

  static Contract contract() {
    return Contract(op, "y = x with rows and columns exchanged")
        .in("x", &Args::x, {"rows", "cols"}, {DType::f32, DType::f16, DType::bf16})
        .out("y", &Args::y, {"cols", "rows"}, "x")
        .after({"vector_add"});
  }
};

}  // namespace warpath::transpose
