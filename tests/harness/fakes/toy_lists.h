// An op on lists of tensors, in host functions that stand in for kernels: total[i] += rate[i] * x[i], tensor by tensor.
#pragma once
#include "core/host/registry.h"

namespace warpath::toy {

struct Lists {
  static constexpr const char* op = "toy_lists";
  TensorList x, total, extra;
  Tensor rate;

  static Contract contract() {
    return Contract(op, "total += rate * x (+ extra), list by list")
        .in_list("x", &Lists::x, "tensors", {DType::f32, DType::f16})
        .inout_list("total", &Lists::total, "tensors", {DType::f32})
        .in_list("extra", &Lists::extra, "tensors", "total")
        .optional()
        .in("rate", &Lists::rate, {"tensors"}, {DType::f32});
  }
};

}  // namespace warpath::toy
