#include "models/layers/noise_head.h"

#include "ops/matmul/matmul/matmul.h"
#include "ops/reduce/dot/dot.h"

namespace warpath::models {

NoiseHead::NoiseHead(const Build& b)
    : linear_(Linear::out_in_bias(b, "head", b.config.width, b.config.patch_size(), 0)) {
  if (b.capacity > 0) return;
  const std::int64_t count = b.batch * b.config.patches(), size = b.config.patch_size();
  noise_ = b.inputs.add("noise", b.dtype(), {count, size});
  difference_ = b.activations.add("difference", b.dtype(), {count, size});
  squares_ = b.activations.add("squares", b.dtype(), {count});
  total_ = b.inputs.add("mean_loss", DType::f32, {1});
  ones_ = b.ones();
}

void NoiseHead::predict(Ops& ops, const Tensor& x, const Tensor& prediction) const {
  linear_.forward(ops, x, prediction);
}

// The epilogue of the product subtracts the noise; the mean is a product with ones.
void NoiseHead::loss(Ops& ops, const Tensor& x) const {
  matmul::Args product;
  product.a = matrix(x), product.b = transposed(linear_.weight.value);
  product.bias = linear_.bias.value, product.c = matrix(noise_), product.beta = -1;
  product.d = matrix(difference_);
  ops.call(product);
  dot::Args squares;
  squares.x = squares.y = difference_, squares.z = squares_;
  ops.call(squares);
  matmul::Args mean;
  mean.a = matrix(tensor(ones_.data, ones_.dtype, {1, squares_.size()}));
  mean.b = matrix(reshaped(squares_, {squares_.size(), 1}));
  mean.alpha = 1.0 / static_cast<double>(difference_.size()),
  mean.d = matrix(reshaped(total_, {1, 1}));
  ops.call(mean);
}

// The gradient of the mean of squares is the difference times a number, which every product applies itself.
void NoiseHead::backward(Ops& ops, const Tensor& x, const Tensor& dx, double scale) const {
  const double factor = 2 * scale / static_cast<double>(difference_.size());
  linear_.backward(ops, x, difference_, dx, {}, factor);
}

}  // namespace warpath::models
