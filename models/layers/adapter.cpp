#include "models/layers/adapter.h"

#include <cmath>

#include "ops/elementwise/dropout/dropout.h"
#include "ops/matmul/matmul/matmul.h"

namespace warpath::models {

Adapter Adapter::make(const Build& b, const std::string& name, std::int64_t in, std::int64_t out) {
  const Tuning& tuning = b.parameters.tuning();
  const std::string module = b.prefix + name;
  Adapter l;
  if (!tuning.wants(module)) return l;
  l.scale = tuning.scale();
  l.number_ = static_cast<std::int64_t>(b.parameters.all().size()) / 2;  // two of each
  // As PEFT names them, and with its first values.
  const std::string prefix = "base_model.model." + module;
  const double reach = 1 / std::sqrt(static_cast<double>(in));
  l.a = b.parameters.adapter(prefix + ".lora_A.weight", tuning.rank, in, reach);
  l.b = b.parameters.adapter(prefix + ".lora_B.weight", out, tuning.rank, 0);
  // A model without a backward pass has these, too.
  const auto passing = [&](const std::string& name, std::int64_t columns) {
    return b.activations.shared("d_lora." + name, b.dtype(), {b.rows(), columns});
  };
  l.thin_ = passing("thin", tuning.rank);
  l.to_result_ = passing(std::to_string(out), out);
  l.d_thin_ = b.passing("d_lora.d_thin", {b.rows(), tuning.rank});
  l.to_input_ = b.passing("d_lora." + std::to_string(in), {b.rows(), in});
  l.dropout_ = tuning.dropout;
  if (l.dropout_ > 0)
    l.dropped_ = b.passing("d_lora.dropped." + std::to_string(in), {b.rows(), in});
  return l;
}

void Adapter::drop(Ops& ops, const Tensor& x, const Tensor& y, const Tensor& add) const {
  constexpr std::int64_t most_adapters = std::int64_t{1} << 20;
  dropout::Forward args;
  args.x = flat(x), args.y = flat(y), args.p = dropout_;
  if (add.data) args.residual = flat(add);
  args.seed = ops.pass().seed, args.offset = ops.pass().number * most_adapters + number_;
  ops.call(args);
}

Tensor Adapter::make_thin(Ops& ops, const Tensor& x) const {
  if (drops(ops)) drop(ops, x, dropped_);
  const Tensor left = drops(ops) ? dropped_ : x;
  matmul::Args args;
  args.a = matrix(left), args.b = transposed(a.value), args.d = matrix(thin_);
  ops.call(args);
  return left;
}

void Adapter::forward(Ops& ops, const Tensor& x, const Tensor& y, const Tensor& add) const {
  make_thin(ops, x);
  matmul::Args up;
  up.a = matrix(thin_), up.b = transposed(b.value), up.d = matrix(y), up.alpha = scale;
  if (add.data) up.c = matrix(add);
  ops.call(up);
}

Tensor Adapter::backward(Ops& ops, const Tensor& x, const Tensor& dy, const Tensor& add) const {
  matmul::Args to_thin;
  to_thin.a = matrix(dy), to_thin.b = matrix(b.value), to_thin.d = matrix(d_thin_);
  to_thin.alpha = scale;
  ops.call(to_thin);

  const Tensor left = make_thin(ops, x);
  matmul::Args to_b;
  to_b.a = transposed(dy), to_b.b = matrix(thin_), to_b.d = matrix(b.gradient), to_b.alpha = scale;
  ops.call(to_b);

  matmul::Args to_a;
  to_a.a = transposed(d_thin_), to_a.b = matrix(left), to_a.d = matrix(a.gradient);
  ops.call(to_a);

  matmul::Args to_x;
  to_x.a = matrix(d_thin_), to_x.b = matrix(a.value), to_x.d = matrix(to_input_);
  if (add.data && !drops(ops)) to_x.c = matrix(add);
  ops.call(to_x);
  // The gradient of a dropped element is zero: the same mask, in place.
  if (drops(ops)) drop(ops, to_input_, to_input_, add);
  return to_input_;
}

}  // namespace warpath::models
