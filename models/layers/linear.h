// y = x W + b.
#pragma once
#include <optional>
#include <vector>

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
  bool is_constant = false;  // the weight, while this model runs: nothing trains it
  Adapter adapter;
  Tensor ones;

  static Linear in_out(const Build& b, const std::string& name, std::int64_t in, std::int64_t out,
                       double deviation);
  static Linear out_in(const Build& b, const std::string& name, std::int64_t in, std::int64_t out,
                       double deviation);
  // The same with a bias, as ViT has it.
  static Linear out_in_bias(const Build& b, const std::string& name, std::int64_t in,
                            std::int64_t out, double deviation);

  // Layers of one input, of the (out, in) layout, with weights that lie one behind the other in memory where they can.
  struct Output {
    std::string name;
    std::int64_t out;
  };
  static std::vector<Linear> out_in_all(const Build& b, const std::vector<Output>& outputs,
                                        std::int64_t in, double deviation);
  // One layer whose result has those of all side by side in each row. Its forward pass is for up to `rows` rows of x; none
  // where these take matmul, where an adapter is beside one of the layers, or where the weights are apart.
  static std::optional<Linear> joined(const std::vector<Linear>& layers, std::int64_t rows);

  void forward(Ops& ops, const Tensor& x, const Tensor& y) const;
  // dx = dy W^T (+ add); also the gradients of the weight and the bias, or of the adapter alone where they are frozen. dx
  // may be left out; it may not be the memory of `add`. `alpha` is a factor of all of them, where there is no adapter.
  void backward(Ops& ops, const Tensor& x, const Tensor& dy, const Tensor& dx,
                const Tensor& add = {}, double alpha = 1) const;

 private:
  // Whether kernels that read little but the weight take so many rows of x.
  bool takes_few(std::int64_t rows) const;
  bool forward_few(Ops& ops, const Tensor& x, const Tensor& y) const;
  // The weight as a matrix, expanded where it is packed.
  Tensor expanded(Ops& ops) const;
};

}  // namespace warpath::models
