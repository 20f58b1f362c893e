// One half of a transformer block: attention, or the MLP. It reads the norm before it and writes what the residual stream
// is added to.
#pragma once
#include <memory>

#include "models/build.h"
#include "models/call.h"

namespace warpath::models {

class Sublayer {
 public:
  virtual ~Sublayer() = default;
  // x, y, dy and dx are (rows, width). The same x is given to both. y is not kept; without it only what the backward pass
  // reads is computed.
  // Beside a cache the tokens of x are the newest ones, and their keys and values are added to it.
  virtual void forward(Ops& ops, const Tensor& x, const Tensor& y) = 0;
  virtual void backward(Ops& ops, const Tensor& x, const Tensor& dy, const Tensor& dx) = 0;
};

// `deviation`: of the first values of a matrix whose result joins the residual stream.
std::unique_ptr<Sublayer> make_gpt2_attention(const Build& b, double deviation);
std::unique_ptr<Sublayer> make_gpt2_mlp(const Build& b, double deviation);
std::unique_ptr<Sublayer> make_llama_attention(const Build& b, double deviation);
std::unique_ptr<Sublayer> make_llama_mlp(const Build& b, double deviation);
std::unique_ptr<Sublayer> make_vit_attention(const Build& b, double deviation);
std::unique_ptr<Sublayer> make_vit_mlp(const Build& b, double deviation);

// Those of the config's family.
inline std::unique_ptr<Sublayer> make_attention(const Build& b, double deviation) {
  if (b.config.family == Family::gpt2) return make_gpt2_attention(b, deviation);
  if (b.config.family == Family::llama) return make_llama_attention(b, deviation);
  return make_vit_attention(b, deviation);
}
inline std::unique_ptr<Sublayer> make_mlp(const Build& b, double deviation) {
  if (b.config.family == Family::gpt2) return make_gpt2_mlp(b, deviation);
  if (b.config.family == Family::llama) return make_llama_mlp(b, deviation);
  return make_vit_mlp(b, deviation);
}

}  // namespace warpath::models
