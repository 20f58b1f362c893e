// y = x W + b.
#pragma once
#include "models/layers/adapter.h"

namespace warpath::models {

// Up to which a product reads little but the weight: matvec's share.
inline constexpr std::int64_t few_rows = 8;

struct Linear {
  // (in, out) is how GPT-2 keeps a weight, (out, in) how Llama does.
  enum class Layout { in_out, out_in };

  Parameter weight, bias;
  Layout layout = Layout::in_out;
  bool has_bias = false;
  Adapter adapter;
  Tensor ones;

  static Linear in_out(const Build& b, const std::string& name, std::int64_t in, std::int64_t out,
                       double deviation);
  static Linear out_in(const Build& b, const std::string& name, std::int64_t in, std::int64_t out,
                       double deviation);
  // The same with a bias, as ViT has it.
  static Linear out_in_bias(const Build& b, const std::string& name, std::int64_t in,
                            std::int64_t out, double deviation);

  void forward(Ops& ops, const Tensor& x, const Tensor& y) const;
  // The columns of the result as tensors one behind the other in memory, all of one width; (in, out) only.
  void forward_parts(Ops& ops, const Tensor& x, std::initializer_list<Tensor> parts) const;
  // dx = dy W^T (+ add); also the gradients of the weight and the bias, or of the adapter alone where they are frozen. dx
  // may be left out; it may not be the memory of `add`. `alpha` is a factor of all of them, where there is no adapter.
  void backward(Ops& ops, const Tensor& x, const Tensor& dy, const Tensor& dx,
                const Tensor& add = {}, double alpha = 1) const;

 private:
  bool forward_few(Ops& ops, const Tensor& x, const Tensor& y) const;
  // The weight as a matrix, expanded where it is packed.
  Tensor expanded(Ops& ops) const;
};

}  // namespace warpath::models
