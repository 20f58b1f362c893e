#include "models/layers/adapter.h"

#include <cmath>

#include "ops/matmul/matmul/matmul.h"

namespace warpath::models {

Adapter Adapter::make(const Build& b, const std::string& name, std::int64_t in, std::int64_t out) {
  const Tuning& tuning = b.parameters.tuning();
  const std::string module = b.prefix + name;
  Adapter l;
  if (!tuning.wants(module)) return l;
  l.scale = tuning.scale();
  // As PEFT names them, and with its first values.
  const std::string prefix = "base_model.model." + module;
  const double reach = 1 / std::sqrt(static_cast<double>(in));
  l.a = b.parameters.adapter(prefix + ".lora_A.weight", tuning.rank, in, reach);
  l.b = b.parameters.adapter(prefix + ".lora_B.weight", out, tuning.rank, 0);
  l.thin_ = b.passing("d_lora.thin", {b.rows(), tuning.rank});
  l.d_thin_ = b.passing("d_lora.d_thin", {b.rows(), tuning.rank});
  l.to_result_ = b.passing("d_lora." + std::to_string(out), {b.rows(), out});
  l.to_input_ = b.passing("d_lora." + std::to_string(in), {b.rows(), in});
  return l;
}

void Adapter::make_thin(Ops& ops, const Tensor& x) const {
  matmul::Args args;
  args.a = matrix(x), args.b = transposed(a.value), args.d = matrix(thin_);
  ops.call(args);
}

Tensor Adapter::forward(Ops& ops, const Tensor& x) const {
  make_thin(ops, x);
  matmul::Args up;
  up.a = matrix(thin_), up.b = transposed(b.value), up.d = matrix(to_result_), up.alpha = scale;
  ops.call(up);
  return to_result_;
}

Tensor Adapter::backward(Ops& ops, const Tensor& x, const Tensor& dy, const Tensor& add) const {
  matmul::Args to_thin;
  to_thin.a = matrix(dy), to_thin.b = matrix(b.value), to_thin.d = matrix(d_thin_);
  to_thin.alpha = scale;
  ops.call(to_thin);

  make_thin(ops, x);
  matmul::Args to_b;
  to_b.a = transposed(dy), to_b.b = matrix(thin_), to_b.d = matrix(b.gradient), to_b.alpha = scale;
  ops.call(to_b);

  matmul::Args to_a;
  to_a.a = transposed(d_thin_), to_a.b = matrix(x), to_a.d = matrix(a.gradient);
  ops.call(to_a);

  matmul::Args to_x;
  to_x.a = matrix(d_thin_), to_x.b = matrix(a.value), to_x.d = matrix(to_input_);
  if (add.data) to_x.c = matrix(add);
  ops.call(to_x);
  return to_input_;
}

}  // namespace warpath::models
