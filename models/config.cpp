#include "models/config.h"

#include <map>

#include "core/host/error.h"
#include "models/grammar.h"

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
Config toy_bytes(Config c) {
  c.vocabulary = 256, c.context = 64, c.width = 64, c.layers = 2, c.heads = 4, c.head_dim = 16;
  c.kv_heads = c.family == Family::gpt2 ? 4 : 2;
  c.hidden = c.family == Family::gpt2 ? 256 : 192;
  c.tied = true;
  c.rope_base = 10000, c.rope_factor = 1;
  return c;
}

// The tokens are the words of the small grammar and no others: with a tied head and a rate as high as a toy's, a vocabulary
// with many words that never come learns far more slowly.
Config toy(Config c) {
  c = toy_bytes(c);
  c.vocabulary = grammar_vocabulary, c.context = 32, c.width = 32, c.head_dim = 8;
  c.hidden = c.family == Family::gpt2 ? 128 : 96;
  return c;
}

// A token per patch and one more: the class token, or the time.
Config of_images(Family family, std::int64_t image, std::int64_t patch, Config c) {
  c.family = family, c.eps = family == Family::vit ? 1e-12 : 1e-6, c.tied = false;
  c.image = image, c.channels = 3, c.patch = patch;
  c.vocabulary = 1, c.context = c.image_tokens();
  return c;
}

Config vit(std::int64_t image, std::int64_t patch, std::int64_t classes, const Config& sizes) {
  Config c = of_images(Family::vit, image, patch, sizes);
  c.classes = classes;
  return c;
}

Config dit(std::int64_t image, std::int64_t patch, std::int64_t times, const Config& sizes) {
  Config c = of_images(Family::dit, image, patch, sizes);
  c.times = times;
  return c;
}

const std::map<std::string, Config>& all() {
  static const std::map<std::string, Config> configs = {
      {"toy", toy(gpt2(2, 4, 64))},
      {"toy-llama", toy(llama(2, 4, 2, 16, 64, 192, true, 1))},
      {"toy-bytes", toy_bytes(gpt2(2, 4, 64))},
      {"toy-llama-bytes", toy_bytes(llama(2, 4, 2, 16, 64, 192, true, 1))},
      {"gpt2-124m", gpt2(12, 12, 768)},
      {"gpt2-355m", gpt2(24, 16, 1024)},
      {"gpt2-774m", gpt2(36, 20, 1280)},
      {"gpt2-1558m", gpt2(48, 25, 1600)},
      {"llama-1b", llama(16, 32, 8, 64, 2048, 8192, true, 32)},
      {"llama-3b", llama(28, 24, 8, 128, 3072, 8192, true, 32)},
      {"llama-8b", llama(32, 32, 8, 128, 4096, 14336, false, 8)},
      {"vit-tiny", vit(16, 4, 6, gpt2(2, 4, 64))},
      {"vit-s16", vit(224, 16, 1000, gpt2(12, 6, 384))},
      {"vit-b16", vit(224, 16, 1000, gpt2(12, 12, 768))},
      {"vit-l16", vit(224, 16, 1000, gpt2(24, 16, 1024))},
      {"dit-tiny", dit(16, 4, 200, gpt2(2, 4, 64))},
      {"dit-s2", dit(32, 2, 1000, gpt2(12, 6, 384))},
  };
  return configs;
}

std::string image_problem(const Config& c) {
  const std::int64_t counts[] = {c.image, c.channels, c.patch,
                                 c.family == Family::vit ? c.classes : c.times};
  const char* const names[] = {"image", "channels", "patch",
                               c.family == Family::vit ? "classes" : "times"};
  for (int i = 0; i < 4; ++i)
    if (counts[i] < 1 || counts[i] > 65536)
      return std::string(names[i]) + " is " + std::to_string(counts[i]);
  if (c.image % c.patch != 0) return "image is no multiple of patch";
  if (c.context != c.image_tokens()) return "context is not the number of tokens of an image";
  return c.family == Family::dit && c.width % 2 != 0 ? "width is odd" : "";
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
  if (c.family != Family::llama && c.query_width() != c.width)
    return "width is not heads * head_dim";
  if (c.sees_images()) return image_problem(c);
  if (c.family == Family::llama && c.head_dim % 2 != 0) return "head_dim is odd";
  return {};
}

double training_flops_per_token(const Config& c, std::int64_t sequence) {
  const double attention = static_cast<double>(c.width) * (2 * c.query_width() + 2 * c.kv_width());
  const double mlp = static_cast<double>(c.width) * c.hidden * (c.family == Family::llama ? 3 : 2);
  const double ends = c.sees_images() ? c.patch_size() * (c.family == Family::dit ? 2.0 : 1.0)
                                      : static_cast<double>(c.vocabulary);
  // DiT's scales, shifts and gates are made once per image.
  const double per_image =
      c.family == Family::dit ? (6.0 * c.layers + 2) * static_cast<double>(c.width * c.width) : 0;
  const double weights = c.layers * (attention + mlp) + ends * c.width +
                         (per_image > 0 ? per_image / static_cast<double>(c.patches()) : 0);
  return 6 * weights + (c.sees_images() ? 12.0 : 6.0) * c.layers * c.query_width() * sequence;
}

}  // namespace warpath::models
