// The norm of all gradients together, and the factor that clips it.
//   norm = sqrt(sum over all tensors and elements of g^2)         factor = min(1, max_norm / (norm + 1e-6))
// Both stay in device memory: adamw takes the factor as `grad_scale`, so clipping needs no wait on the host. A norm that is
// NaN or infinite gives a factor of NaN or 0, as in PyTorch.
#pragma once
#include "core/host/rung.h"

namespace warpath::grad_norm {

struct Args {
  static constexpr const char* op = "grad_norm";
  TensorList g;
  Tensor norm, factor;
  double max_norm = 1;
  Scratch scratch;

  static Contract contract() {
    return Contract(op,
                    "the 2-norm of many tensors as one, and the factor that clips it to max_norm")
        .in_list("g", &Args::g, "tensors", {DType::f32, DType::f16, DType::bf16})
        .out("norm", &Args::norm, {"1"}, std::vector<DType>{DType::f32})
        .out("factor", &Args::factor, {"1"}, std::vector<DType>{DType::f32})
        .real("max_norm", &Args::max_norm, 1)
        .scratch("scratch", &Args::scratch)
        .after({"reduce", "layer_norm"});
  }
};

}  // namespace warpath::grad_norm
