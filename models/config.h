// The sizes of a model, and the models that have names.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace warpath::models {

// GPT-2's form: LayerNorm, learned positions, GELU, biases. Llama's: RMSNorm, rotary positions, grouped heads, SwiGLU.
// ViT's: patches of an image for tokens, full attention, a class for all of them. DiT's: blocks whose norms and residual
// additions have scales, shifts and gates by the time, and which predict the noise in each patch.
enum class Family { gpt2, llama, vit, dit };

// How fast noise replaces an image in a diffusion model.
enum class Schedule { linear, cosine };

struct Config {
  Family family = Family::gpt2;
  std::int64_t vocabulary = 50304, context = 1024, width = 768, layers = 12, heads = 12,
               kv_heads = 12, head_dim = 64, hidden = 3072;
  double eps = 1e-5;
  bool tied = true;  // the head is the embedding's table
  // Of rotary positions, as in ops/attention/rope.
  double rope_base = 10000, rope_factor = 1, rope_low = 1, rope_high = 4;
  std::int64_t rope_original_context = 8192;
  // Of images: square ones of `image` pixels per side, cut into patches of `patch` pixels per side.
  std::int64_t image = 0, channels = 0, patch = 0;
  std::int64_t classes = 0;  // of ViT
  // Of DiT: how many steps there are from an image to noise.
  std::int64_t times = 0;
  Schedule schedule = Schedule::cosine;

  std::int64_t query_width() const { return heads * head_dim; }
  std::int64_t kv_width() const { return kv_heads * head_dim; }
  bool sees_images() const { return family == Family::vit || family == Family::dit; }
  std::int64_t patches() const { return (image / patch) * (image / patch); }
  // ViT has a class token too.
  std::int64_t image_tokens() const { return patches() + (family == Family::vit ? 1 : 0); }
  std::int64_t patch_size() const { return channels * patch * patch; }  // of one, in numbers
  bool operator==(const Config&) const = default;
};

// "gpt2-124m", "llama-1b", "toy", ...; throws Error with the names there are.
Config named_config(const std::string& name);
std::vector<std::string> config_names();

// Why no model can have these sizes; empty: one can.
std::string config_problem(const Config& c);

// Multiplications and additions per token of a forward and backward pass: 6 per weight of a matrix, and attention's
// products over `sequence` tokens, half of which a causal mask leaves out. For images: what is done per patch.
double training_flops_per_token(const Config& c, std::int64_t sequence);

}  // namespace warpath::models
