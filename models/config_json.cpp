// config.json as Hugging Face's transformers has it, for GPT-2, Llama and ViT, and one of ours for a diffusion transformer.
#include <fmt/format.h>

#include "core/host/error.h"
#include "models/checkpoint.h"
#include "models/files.h"
#include "models/shapes.h"

using nlohmann::ordered_json;

namespace warpath::models {

namespace {

// The fields that ViT's and ours have in common.
ordered_json image_config(const Config& c, const char* type) {
  return {{"hidden_size", c.width},
          {"num_hidden_layers", c.layers},
          {"num_attention_heads", c.heads},
          {"intermediate_size", c.hidden},
          {"hidden_act", "gelu"},
          {"hidden_dropout_prob", 0.0},
          {"attention_probs_dropout_prob", 0.0},
          {"layer_norm_eps", c.eps},
          {"image_size", c.image},
          {"patch_size", c.patch},
          {"num_channels", c.channels},
          {"qkv_bias", true},
          {"torch_dtype", type}};
}

ordered_json vit_config(const Config& c, const char* type) {
  ordered_json j = {{"architectures", {"ViTForImageClassification"}}, {"model_type", "vit"}};
  j.update(image_config(c, type));
  for (std::int64_t i = 0; i < c.classes; ++i) {
    const std::string name =
        c.classes == shape_count ? shape_name(static_cast<int>(i)) : fmt::format("LABEL_{}", i);
    j["id2label"][std::to_string(i)] = name;
    j["label2id"][name] = i;
  }
  return j;
}

ordered_json dit_config(const Config& c, const char* type) {
  ordered_json j = {{"model_type", "warpath_dit"}};
  j.update(image_config(c, type));
  j["conditioning"] = "adaln_zero";
  j["times"] = c.times;
  j["schedule"] = c.schedule == Schedule::linear ? "linear" : "cosine";
  return j;
}

}  // namespace

ordered_json config_to_json(const Config& c, DType dtype) {
  const char* const type = dtype == DType::f32    ? "float32"
                           : dtype == DType::bf16 ? "bfloat16"
                                                  : "float16";
  if (c.family == Family::vit) return vit_config(c, type);
  if (c.family == Family::dit) return dit_config(c, type);
  if (c.family == Family::gpt2)
    return {{"architectures", {"GPT2LMHeadModel"}},
            {"model_type", "gpt2"},
            {"vocab_size", c.vocabulary},
            {"n_positions", c.context},
            {"n_embd", c.width},
            {"n_layer", c.layers},
            {"n_head", c.heads},
            {"n_inner", c.hidden},
            {"activation_function", "gelu_new"},
            {"layer_norm_epsilon", c.eps},
            {"attn_pdrop", 0.0},
            {"embd_pdrop", 0.0},
            {"resid_pdrop", 0.0},
            {"tie_word_embeddings", c.tied},
            {"bos_token_id", nullptr},
            {"eos_token_id", nullptr},
            {"torch_dtype", type}};
  ordered_json j = {{"architectures", {"LlamaForCausalLM"}},
                    {"model_type", "llama"},
                    {"vocab_size", c.vocabulary},
                    {"max_position_embeddings", c.context},
                    {"hidden_size", c.width},
                    {"num_hidden_layers", c.layers},
                    {"num_attention_heads", c.heads},
                    {"num_key_value_heads", c.kv_heads},
                    {"head_dim", c.head_dim},
                    {"intermediate_size", c.hidden},
                    {"hidden_act", "silu"},
                    {"rms_norm_eps", c.eps},
                    {"tie_word_embeddings", c.tied},
                    {"attention_bias", false},
                    {"mlp_bias", false},
                    {"rope_theta", c.rope_base},
                    {"bos_token_id", nullptr},
                    {"eos_token_id", nullptr},
                    {"torch_dtype", type}};
  if (c.rope_factor != 1)
    j["rope_scaling"] = {{"rope_type", "llama3"},
                         {"factor", c.rope_factor},
                         {"low_freq_factor", c.rope_low},
                         {"high_freq_factor", c.rope_high},
                         {"original_max_position_embeddings", c.rope_original_context}};
  return j;
}

std::vector<std::int32_t> end_tokens(const std::filesystem::path& folder) {
  for (const char* name : {"generation_config.json", "config.json"}) {
    std::error_code ignored;
    const auto file = folder / name;
    if (!std::filesystem::exists(file, ignored)) continue;
    const ordered_json j = ordered_json::parse(read_whole(file), nullptr, false);
    if (!j.is_object()) throw Error(file.string() + ": no JSON object");
    ordered_json ids = j.value("eos_token_id", ordered_json());
    if (ids.is_null()) continue;
    if (!ids.is_array()) ids = ordered_json::array({ids});
    std::vector<std::int32_t> tokens;
    for (const ordered_json& id : ids) {
      if (!id.is_number_integer() || id < 0 || id > INT32_MAX)
        throw Error(file.string() + ": 'eos_token_id' is no token");
      tokens.push_back(id.get<std::int32_t>());
    }
    return tokens;
  }
  return {};
}

namespace {

// Fields by name; what is missing or of another kind is refused.
struct Fields {
  const ordered_json& j;
  const std::string& file;

  [[noreturn]] void refuse(const std::string& why) const { throw Error(file + ": " + why); }
  bool has(const char* key) const { return j.contains(key) && !j[key].is_null(); }
  std::int64_t count(const char* key) const {
    if (!has(key) || !j[key].is_number_integer()) refuse(fmt::format("'{}' is no count", key));
    return j[key].get<std::int64_t>();
  }
  std::int64_t count(const char* key, std::int64_t otherwise) const {
    return has(key) ? count(key) : otherwise;
  }
  double real(const char* key, double otherwise) const {
    if (!has(key)) return otherwise;
    if (!j[key].is_number()) refuse(fmt::format("'{}' is no number", key));
    return j[key].get<double>();
  }
  bool yes(const char* key, bool otherwise) const {
    if (!has(key)) return otherwise;
    if (!j[key].is_boolean()) refuse(fmt::format("'{}' is neither true nor false", key));
    return j[key].get<bool>();
  }
  void must_be(const char* key, const char* value) const {
    if (has(key) && j[key] != value)
      refuse(fmt::format("'{}' is {}; only {} is known", key, j[key].dump(), value));
  }
};

Config gpt2_of(const Fields& f) {
  Config c;
  c.vocabulary = f.count("vocab_size"), c.context = f.count("n_positions");
  c.width = f.count("n_embd"), c.layers = f.count("n_layer");
  c.heads = c.kv_heads = f.count("n_head");
  c.hidden = f.count("n_inner", 4 * c.width);
  c.eps = f.real("layer_norm_epsilon", 1e-5);
  c.tied = f.yes("tie_word_embeddings", true);
  f.must_be("activation_function", "gelu_new");
  if (c.heads < 1 || c.width % c.heads != 0) f.refuse("'n_embd' is no multiple of 'n_head'");
  c.head_dim = c.width / c.heads;
  return c;
}

Config llama_of(const Fields& f) {
  Config c;
  c.family = Family::llama;
  c.vocabulary = f.count("vocab_size"), c.context = f.count("max_position_embeddings");
  c.width = f.count("hidden_size"), c.layers = f.count("num_hidden_layers");
  c.heads = f.count("num_attention_heads"), c.kv_heads = f.count("num_key_value_heads", c.heads);
  if (c.heads < 1) f.refuse("'num_attention_heads' is no count");
  c.head_dim = f.count("head_dim", c.width / c.heads);
  c.hidden = f.count("intermediate_size");
  c.eps = f.real("rms_norm_eps", 1e-6);
  c.tied = f.yes("tie_word_embeddings", false);
  f.must_be("hidden_act", "silu");
  if (f.yes("attention_bias", false) || f.yes("mlp_bias", false)) f.refuse("biases are not known");
  // Newer files have all of it in rope_parameters.
  const bool newer = f.has("rope_parameters");
  const char* const key = newer ? "rope_parameters" : "rope_scaling";
  const ordered_json none = ordered_json::object();
  const ordered_json& rope = f.has(key) ? f.j[key] : none;
  if (!rope.is_object()) f.refuse(fmt::format("'{}' is no object", key));
  const Fields r{rope, f.file};
  c.rope_base = newer ? r.real("rope_theta", 10000) : f.real("rope_theta", 10000);
  if (!rope.empty() && rope.value("rope_type", ordered_json("default")) != "default") {
    r.must_be("rope_type", "llama3");
    c.rope_factor = r.real("factor", 1);
    c.rope_low = r.real("low_freq_factor", 1), c.rope_high = r.real("high_freq_factor", 4);
    c.rope_original_context = r.count("original_max_position_embeddings", 8192);
  }
  return c;
}

Config images_of(const Fields& f, Family family) {
  Config c;
  c.family = family, c.tied = false, c.vocabulary = 1;
  c.width = f.count("hidden_size"), c.layers = f.count("num_hidden_layers");
  c.heads = c.kv_heads = f.count("num_attention_heads"), c.hidden = f.count("intermediate_size");
  c.eps = f.real("layer_norm_eps", 1e-12);
  c.image = f.count("image_size"), c.patch = f.count("patch_size");
  c.channels = f.count("num_channels", 3);
  f.must_be("hidden_act", "gelu");
  if (!f.yes("qkv_bias", true)) f.refuse("'qkv_bias' is false; only true is known");
  if (c.heads < 1 || c.width % c.heads != 0)
    f.refuse("'hidden_size' is no multiple of 'num_attention_heads'");
  c.head_dim = c.width / c.heads;
  if (c.patch < 1 || c.image < c.patch || c.image > 65536)
    f.refuse("'image_size' and 'patch_size' are no sizes of an image and its patches");
  c.context = c.image_tokens();
  return c;
}

Config vit_of(const Fields& f) {
  Config c = images_of(f, Family::vit);
  c.classes = 2;  // as transformers has it where nothing is said
  if (f.has("num_labels")) c.classes = f.count("num_labels");
  if (f.has("id2label")) {
    if (!f.j["id2label"].is_object()) f.refuse("'id2label' is no object");
    c.classes = static_cast<std::int64_t>(f.j["id2label"].size());
  }
  return c;
}

Config dit_of(const Fields& f) {
  Config c = images_of(f, Family::dit);
  if (!f.has("conditioning"))
    f.refuse("'conditioning' is missing: an older model whose time is a token; train it again");
  f.must_be("conditioning", "adaln_zero");
  c.times = f.count("times");
  const ordered_json schedule = f.j.value("schedule", ordered_json());
  if (schedule != "linear" && schedule != "cosine")
    f.refuse(fmt::format("'schedule' is {}; known are linear and cosine", schedule.dump()));
  c.schedule = schedule == "linear" ? Schedule::linear : Schedule::cosine;
  return c;
}

}  // namespace

Config config_from_json(const ordered_json& j, const std::string& file) {
  if (!j.is_object()) throw Error(file + ": no JSON object");
  const Fields f{j, file};
  const ordered_json type = j.value("model_type", ordered_json());
  if (type != "gpt2" && type != "llama" && type != "vit" && type != "warpath_dit")
    f.refuse(
        fmt::format("'model_type' is {}; known are gpt2, llama, vit and warpath_dit", type.dump()));
  const Config c = type == "gpt2"    ? gpt2_of(f)
                   : type == "llama" ? llama_of(f)
                   : type == "vit"   ? vit_of(f)
                                     : dit_of(f);
  if (const std::string why = config_problem(c); !why.empty()) f.refuse(why);
  return c;
}

}  // namespace warpath::models
