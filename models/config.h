// The sizes of a model, and the models that have names.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace warpath::models {

// GPT-2's form: LayerNorm, learned positions, GELU, biases. Llama's: RMSNorm, rotary positions, grouped heads, SwiGLU.
enum class Family { gpt2, llama };

struct Config {
  Family family = Family::gpt2;
  std::int64_t vocabulary = 50304, context = 1024, width = 768, layers = 12, heads = 12,
               kv_heads = 12, head_dim = 64, hidden = 3072;
  double eps = 1e-5;
  bool tied = true;  // the head is the embedding's table
  // Of rotary positions, as in ops/attention/rope.
  double rope_base = 10000, rope_factor = 1, rope_low = 1, rope_high = 4;
  std::int64_t rope_original_context = 8192;

  std::int64_t query_width() const { return heads * head_dim; }
  std::int64_t kv_width() const { return kv_heads * head_dim; }
  bool operator==(const Config&) const = default;
};

// "gpt2-124m", "llama-1b", "toy", ...; throws Error with the names there are.
Config named_config(const std::string& name);
std::vector<std::string> config_names();

// Why no model can have these sizes; empty: one can.
std::string config_problem(const Config& c);

// Multiplications and additions per token of a forward and backward pass: 6 per weight of a matrix, and attention's
// products over `sequence` tokens, half of which a causal mask leaves out.
double training_flops_per_token(const Config& c, std::int64_t sequence);

}  // namespace warpath::models
