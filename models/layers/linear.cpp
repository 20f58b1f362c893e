#include "models/layers/linear.h"

#include "ops/matmul/matmul/matmul.h"
#include "ops/matmul/matvec/matvec.h"

namespace warpath::models {

Linear Linear::in_out(const Build& b, const std::string& name, std::int64_t in, std::int64_t out,
                      double deviation) {
  Linear l;
  l.weight = b.parameters.linear(b.prefix + name + ".weight", in, out, deviation);
  l.bias = b.parameters.vector(b.prefix + name + ".bias", out, 0);
  l.has_bias = true;
  l.adapter = Adapter::make(b, name, in, out);
  if (b.capacity == 0 && l.bias.gradient.data) l.ones = b.ones();
  return l;
}

Linear Linear::out_in(const Build& b, const std::string& name, std::int64_t in, std::int64_t out,
                      double deviation) {
  Linear l;
  l.weight = b.parameters.linear(b.prefix + name + ".weight", out, in, deviation);
  l.layout = Layout::out_in;
  l.is_constant = b.capacity > 0;
  l.adapter = Adapter::make(b, name, in, out);
  return l;
}

std::vector<Linear> Linear::out_in_all(const Build& b, const std::vector<Output>& outputs,
                                       std::int64_t in, double deviation) {
  std::vector<std::string> names;
  std::vector<std::int64_t> rows;
  for (const Output& o : outputs)
    names.push_back(b.prefix + o.name + ".weight"), rows.push_back(o.out);
  const std::vector<Parameter> weights = b.parameters.linears(names, rows, in, deviation);
  std::vector<Linear> layers(outputs.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    layers[i].weight = weights[i];
    layers[i].layout = Layout::out_in;
    layers[i].is_constant = b.capacity > 0;
    layers[i].adapter = Adapter::make(b, outputs[i].name, in, outputs[i].out);
  }
  return layers;
}

std::optional<Linear> Linear::joined(const std::vector<Linear>& layers, std::int64_t rows) {
  Linear all;
  all.layout = Layout::out_in;
  all.is_constant = layers.at(0).is_constant;
  std::vector<Tensor> values;
  std::vector<Packed> packed;
  for (const Linear& l : layers) {
    if (l.adapter.there() || !l.takes_few(rows)) return {};
    values.push_back(l.weight.value), packed.push_back(l.weight.packed);
  }
  if (packed[0].there()) {
    all.weight.packed = Packed::joined(packed);
    if (!all.weight.packed.there()) return {};
    const Tensor& codes = all.weight.packed.codes;
    all.weight.value = tensor(nullptr, values[0].dtype, {codes.shape[0], codes.shape[1]});
  } else {
    all.weight.value = stacked(values);
    if (!all.weight.value.data) return {};
  }
  return all;
}

Linear Linear::out_in_bias(const Build& b, const std::string& name, std::int64_t in,
                           std::int64_t out, double deviation) {
  Linear l = out_in(b, name, in, out, deviation);
  l.bias = b.parameters.vector(b.prefix + name + ".bias", out, 0);
  l.has_bias = true;
  if (b.capacity == 0) l.ones = b.ones();
  return l;
}

Tensor Linear::expanded(Ops& ops) const {
  if (!weight.packed.there()) return weight.value;
  weight.packed.expand(ops);
  return weight.packed.expanded;
}

// Where x has few rows, the kernels that read little but the weight; they add nothing to their product.
bool Linear::takes_few(std::int64_t rows) const {
  if (layout != Layout::out_in || has_bias) return false;
  if (weight.packed.there()) return weight.packed.multiplies(rows, weight.value.shape[1]);
  return rows <= few_rows;
}

bool Linear::forward_few(Ops& ops, const Tensor& x, const Tensor& y) const {
  if (!takes_few(x.shape[0])) return false;
  if (weight.packed.there()) return weight.packed.multiply(ops, x, y), true;
  matvec::Args args;
  args.x = x, args.w = weight.value, args.y = y, args.w_is_constant = is_constant;
  ops.call(args);
  return true;
}

void Linear::forward(Ops& ops, const Tensor& x, const Tensor& y) const {
  if (forward_few(ops, x, adapter.there() ? adapter.result() : y)) {
    if (adapter.there()) adapter.forward(ops, x, y, adapter.result());
    return;
  }
  matmul::Args args;
  if (adapter.there()) {
    adapter.forward(ops, x, adapter.result());
    args.c = matrix(adapter.result());
  }
  const Tensor w = expanded(ops);
  args.a = matrix(x);
  args.b = layout == Layout::in_out ? matrix(w) : transposed(w);
  args.d = matrix(y);
  if (has_bias) args.bias = bias.value;
  ops.call(args);
}

void Linear::backward(Ops& ops, const Tensor& x, const Tensor& dy, const Tensor& dx,
                      const Tensor& add, double alpha) const {
  const Tensor also = adapter.there() ? adapter.backward(ops, x, dy, add) : add;
  if (dx.data) {
    matmul::Args to_x;
    const Tensor w = expanded(ops);
    to_x.a = matrix(dy), to_x.alpha = alpha;
    to_x.b = layout == Layout::in_out ? transposed(w) : matrix(w);
    to_x.d = matrix(dx);
    if (also.data) to_x.c = matrix(also);
    ops.call(to_x);
  }
  if (!weight.gradient.data) return;

  matmul::Args to_weight;
  to_weight.alpha = alpha;
  to_weight.a = transposed(layout == Layout::in_out ? x : dy);
  to_weight.b = matrix(layout == Layout::in_out ? dy : x);
  to_weight.d = matrix(weight.gradient);
  ops.call(to_weight);

  if (!has_bias) return;
  matmul::Args to_bias;  // the sum of dy's rows
  to_bias.a = matrix(tensor(ones.data, ones.dtype, {1, dy.shape[0]})), to_bias.alpha = alpha;
  to_bias.b = matrix(dy);
  to_bias.d = matrix(reshaped(bias.gradient, {1, bias.gradient.size()}));
  ops.call(to_bias);
}

}  // namespace warpath::models
