#include "models/layers/linear.h"

#include "ops/matmul/matmul/matmul.h"
#include "ops/matmul/matvec/matvec.h"

namespace warpath::models {

Linear Linear::in_out(const Build& b, const std::string& name, std::int64_t in, std::int64_t out,
                      double deviation) {
  Linear l;
  l.weight = b.parameters.matrix(b.prefix + name + ".weight", in, out, deviation);
  l.bias = b.parameters.vector(b.prefix + name + ".bias", out, 0);
  l.has_bias = true;
  if (b.capacity == 0) l.ones = b.ones();
  return l;
}

Linear Linear::out_in(const Build& b, const std::string& name, std::int64_t in, std::int64_t out,
                      double deviation) {
  Linear l;
  l.weight = b.parameters.matrix(b.prefix + name + ".weight", out, in, deviation);
  l.layout = Layout::out_in;
  return l;
}

Linear Linear::out_in_bias(const Build& b, const std::string& name, std::int64_t in,
                           std::int64_t out, double deviation) {
  Linear l = out_in(b, name, in, out, deviation);
  l.bias = b.parameters.vector(b.prefix + name + ".bias", out, 0);
  l.has_bias = true;
  if (b.capacity == 0) l.ones = b.ones();
  return l;
}

void Linear::forward(Ops& ops, const Tensor& x, const Tensor& y) const {
  if (layout == Layout::out_in && !has_bias && x.shape[0] <= few_rows) {
    matvec::Args args;
    args.x = x, args.w = weight.value, args.y = y;
    ops.call(args);
    return;
  }
  matmul::Args args;
  args.a = matrix(x);
  args.b = layout == Layout::in_out ? matrix(weight.value) : transposed(weight.value);
  args.d = matrix(y);
  if (has_bias) args.bias = bias.value;
  ops.call(args);
}

void Linear::forward_columns(Ops& ops, const Tensor& x, std::int64_t first, const Tensor& y) const {
  WARPATH_CHECK(layout == Layout::in_out, "columns of an (in, out) weight");
  const std::int64_t columns = y.shape[1];
  matmul::Args args;
  args.a = matrix(x), args.d = matrix(y);
  args.b = matrix(weight.value);
  args.b.data = advanced(weight.value, first);
  args.b.shape[2] = columns;
  if (has_bias) args.bias = rows(bias.value, first, columns);
  ops.call(args);
}

void Linear::backward(Ops& ops, const Tensor& x, const Tensor& dy, const Tensor& dx,
                      const Tensor& add, double alpha) const {
  if (dx.data) {
    matmul::Args to_x;
    to_x.a = matrix(dy), to_x.alpha = alpha;
    to_x.b = layout == Layout::in_out ? transposed(weight.value) : matrix(weight.value);
    to_x.d = matrix(dx);
    if (add.data) to_x.c = matrix(add);
    ops.call(to_x);
  }

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
