#include "models/layers/noise_head.h"

#include "models/floats.h"
#include "models/layers/patch_embedding.h"
#include "ops/layout/embedding/embedding.h"
#include "ops/matmul/matmul/matmul.h"
#include "ops/reduce/dot/dot.h"

namespace warpath::models {

NoiseHead::NoiseHead(const Build& b)
    : linear_(Linear::out_in_bias(b, "head", b.config.width, b.config.patch_size(), 0.02)) {
  const std::int64_t count = b.batch * b.config.patches(), size = b.config.patch_size();
  ids_ = b.activations.add("patch rows", DType::i32, {b.batch, b.config.patches()});
  rows_ = b.activations.add("patch outputs", b.dtype(), {count, b.config.width});
  if (b.capacity > 0) return;
  noise_ = b.activations.add("noise", b.dtype(), {count, size});
  difference_ = b.activations.add("difference", b.dtype(), {count, size});
  squares_ = b.activations.add("squares", b.dtype(), {count});
  total_ = b.activations.add("mean_loss", DType::f32, {1});
  d_rows_ = b.passing("d_patch_outputs", {count, b.config.width});
  ones_ = b.ones();
}

void NoiseHead::forward(Ops& ops, const Tensor& x) const {
  embedding::Forward gather;
  gather.table = x, gather.ids = ids_;
  gather.y = reshaped(rows_, {ids_.shape[0], ids_.shape[1], rows_.shape[1]});
  ops.call(gather);
}

void NoiseHead::predict(Ops& ops, const Tensor& prediction) const {
  linear_.forward(ops, rows_, prediction);
}

// The epilogue of the product subtracts the noise; the mean is a product with ones.
void NoiseHead::loss(Ops& ops) const {
  matmul::Args product;
  product.a = matrix(rows_), product.b = transposed(linear_.weight.value);
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
void NoiseHead::backward(Ops& ops, const Tensor& dx, double scale) const {
  const double factor = 2 * scale / static_cast<double>(difference_.size());
  linear_.backward(ops, rows_, difference_, d_rows_, {}, factor);
  embedding::Backward scatter;
  scatter.dy = reshaped(d_rows_, {ids_.shape[0], ids_.shape[1], rows_.shape[1]});
  scatter.ids = ids_, scatter.table = scatter.dtable = dx;
  ops.call(scatter);
}

void NoiseHead::upload_constants(const harness::Device& device) const {
  upload_ints(device, ids_, rows_of_each(ids_.shape[0], ids_.shape[1] + 1, 1, ids_.shape[1]));
}

}  // namespace warpath::models
