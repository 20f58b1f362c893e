#include "models/config.h"

#include <map>

#include "core/host/error.h"

namespace warpath::models {
namespace {

Config gpt2(std::int64_t layers, std::int64_t heads, std::int64_t width) {
  Config c;
  c.layers = layers, c.heads = c.kv_heads = heads, c.width = width;
  c.head_dim = width / heads, c.hidden = 4 * width;
  return c;
}

Config llama(std::int64_t layers, std::int64_t heads, std::int64_t kv_heads, std::int64_t head_dim,
             std::int64_t width, std::int64_t hidden, bool tied, double factor) {
  Config c;
  c.family = Family::llama;
  c.vocabulary = 128256, c.context = 8192, c.width = width, c.layers = layers;
  c.heads = heads, c.kv_heads = kv_heads, c.head_dim = head_dim, c.hidden = hidden;
  c.tied = tied;
  c.rope_base = 500000, c.rope_factor = factor;
  return c;
}

// A byte is a token: any text trains it.
Config toy(Config c) {
  c.vocabulary = 256, c.context = 64, c.width = 64, c.layers = 2, c.heads = 4, c.head_dim = 16;
  c.kv_heads = c.family == Family::gpt2 ? 4 : 2;
  c.hidden = c.family == Family::gpt2 ? 256 : 192;
  c.tied = true;
  c.rope_base = 10000, c.rope_factor = 1;
  return c;
}

const std::map<std::string, Config>& all() {
  static const std::map<std::string, Config> configs = {
      {"toy", toy(gpt2(2, 4, 64))},
      {"toy-llama", toy(llama(2, 4, 2, 16, 64, 192, true, 1))},
      {"gpt2-124m", gpt2(12, 12, 768)},
      {"gpt2-355m", gpt2(24, 16, 1024)},
      {"gpt2-774m", gpt2(36, 20, 1280)},
      {"gpt2-1558m", gpt2(48, 25, 1600)},
      {"llama-1b", llama(16, 32, 8, 64, 2048, 8192, true, 32)},
      {"llama-3b", llama(28, 24, 8, 128, 3072, 8192, true, 32)},
      {"llama-8b", llama(32, 32, 8, 128, 4096, 14336, false, 8)},
  };
  return configs;
}

}  // namespace

std::vector<std::string> config_names() {
  std::vector<std::string> names;
  for (const auto& [name, config] : all()) names.push_back(name);
  return names;
}

Config named_config(const std::string& name) {
  const auto found = all().find(name);
  if (found != all().end()) return found->second;
  std::string known;
  for (const std::string& n : config_names()) known += (known.empty() ? "" : ", ") + n;
  throw Error("no model '" + name + "'; there are: " + known);
}

std::string config_problem(const Config& c) {
  constexpr std::int64_t most = std::int64_t{1} << 24;  // keeps every product of two inside 64 bits
  for (const auto& [what, n] :
       std::initializer_list<std::pair<const char*, std::int64_t>>{{"vocabulary", c.vocabulary},
                                                                   {"context", c.context},
                                                                   {"width", c.width},
                                                                   {"layers", c.layers},
                                                                   {"heads", c.heads},
                                                                   {"kv_heads", c.kv_heads},
                                                                   {"head_dim", c.head_dim},
                                                                   {"hidden", c.hidden}})
    if (n < 1 || n > most) return std::string(what) + " is " + std::to_string(n);
  if (c.heads % c.kv_heads != 0) return "heads is no multiple of kv_heads";
  if (c.family == Family::gpt2 && c.query_width() != c.width)
    return "width is not heads * head_dim";
  if (c.family == Family::llama && c.head_dim % 2 != 0) return "head_dim is odd";
  return {};
}

double training_flops_per_token(const Config& c, std::int64_t sequence) {
  const double attention = static_cast<double>(c.width) * (2 * c.query_width() + 2 * c.kv_width());
  const double mlp = static_cast<double>(c.width) * c.hidden * (c.family == Family::gpt2 ? 2 : 3);
  const double weights = c.layers * (attention + mlp) + static_cast<double>(c.vocabulary) * c.width;
  return 6 * weights + 6.0 * c.layers * c.query_width() * sequence;
}

}  // namespace warpath::models
