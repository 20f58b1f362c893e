// c[i] = a[i] + b[i], the sum taken in float and rounded once.
#pragma once
#include "core/host/rung.h"

namespace warpath::vector_add {

struct Args {
  static constexpr const char* op = "vector_add";
  Tensor a, b, c;

  static Contract contract() {
    return Contract(op, "c = a + b")
        .in("a", &Args::a, {"n..."}, {DType::f32, DType::f16, DType::bf16})
        .in("b", &Args::b, {"n..."}, "a")
        .out("c", &Args::c, {"n..."}, "a");
  }
};

}  // namespace warpath::vector_add
