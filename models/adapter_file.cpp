#include "models/adapter_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "core/host/parallel.h"
#include "harness/buffer.h"
#include "models/checkpoint.h"
#include "models/files.h"
#include "models/floats.h"
#include "models/safetensors.h"

using nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace warpath::models {
namespace {

using Words = std::vector<std::pair<std::string, std::vector<std::string>>>;

const Words& words_of(Family family) {
  static const Words gpt2 = {{"qkv", {"attn.c_attn"}},
                             {"o", {"attn.c_proj"}},
                             {"up", {"mlp.c_fc"}},
                             {"down", {"mlp.c_proj"}},
                             {"all", {"attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"}}};
  static const Words llama = {
      {"q", {"q_proj"}},
      {"k", {"k_proj"}},
      {"v", {"v_proj"}},
      {"o", {"o_proj"}},
      {"gate", {"gate_proj"}},
      {"up", {"up_proj"}},
      {"down", {"down_proj"}},
      {"all", {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"}}};
  return family == Family::gpt2 ? gpt2 : llama;
}

// Modules as PEFT may name them, beside our own words.
bool is_module(const std::string& word, Family family) {
  const auto& all = words_of(family).back().second;
  return std::any_of(all.begin(), all.end(), [&](const std::string& module) {
    return module == word || module.ends_with("." + word);
  });
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(folder.string() + ": cannot be made: " + error.message());
}

const std::string peft_prefix = "base_model.model.";

}  // namespace

std::vector<std::string> parse_targets(const std::string& text, Family family) {
  std::vector<std::string> targets;
  const auto add = [&](const std::string& target) {
    if (std::find(targets.begin(), targets.end(), target) == targets.end())
      targets.push_back(target);
  };
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string word = text.substr(at, end - at);
    at = end + 1;
    const Words& known = words_of(family);
    // GPT-2 has queries, keys and values in one matrix.
    const bool part = family == Family::gpt2 && (word == "q" || word == "k" || word == "v");
    const std::string wanted = part ? "qkv" : word == "all-linear" ? "all" : word;
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const auto& entry) { return entry.first == wanted; });
    if (found == known.end() && !is_module(word, family)) {
      std::vector<std::string> names;
      for (const auto& [name, modules] : known) names.push_back(name);
      throw Error(fmt::format("--lora {}: no layer '{}'; there are {}, and the layers' own names",
                              text, word, fmt::join(names, ", ")));
    }
    if (found == known.end())
      add(word);
    else
      for (const std::string& module : found->second) add(module);
  }
  return targets;
}

void write_adapter_config(const fs::path& folder, const TrainSettings& s) {
  const Tuning& t = s.batch.tuning;
  const ordered_json j = {{"peft_type", "LORA"},
                          {"task_type", "CAUSAL_LM"},
                          {"base_model_name_or_path", s.base},
                          {"r", t.rank},
                          {"lora_alpha", t.alpha},
                          {"lora_dropout", t.dropout},
                          {"target_modules", t.targets},
                          {"fan_in_fan_out", s.config.family == Family::gpt2},
                          {"bias", "none"},
                          {"inference_mode", true},
                          {"init_lora_weights", true},
                          {"modules_to_save", nullptr},
                          {"rank_pattern", ordered_json::object()},
                          {"alpha_pattern", ordered_json::object()},
                          {"use_dora", false},
                          {"use_rslora", false}};
  write_whole(folder / "adapter_config.json", j.dump(2) + "\n");
}

Tuning read_adapter_config(const fs::path& folder) {
  const fs::path file = folder / "adapter_config.json";
  const ordered_json j = ordered_json::parse(read_whole(file), nullptr, false);
  const auto refuse = [&](const std::string& why) { throw Error(file.string() + ": " + why); };
  if (!j.is_object()) refuse("no JSON object");
  if (j.value("peft_type", ordered_json()) != "LORA") refuse("only adapters of type LORA are read");
  for (const char* key : {"use_dora", "use_rslora", "lora_bias"})
    if (j.value(key, ordered_json()) == true) refuse(fmt::format("'{}' is not computed here", key));
  for (const char* key : {"rank_pattern", "alpha_pattern", "modules_to_save", "layers_to_transform",
                          "exclude_modules"})
    if (const ordered_json value = j.value(key, ordered_json()); !value.is_null() && !value.empty())
      refuse(fmt::format("'{}' is not computed here", key));
  if (const ordered_json bias = j.value("bias", ordered_json("none")); bias != "none")
    refuse("biases that are trained are not computed here");
  Tuning t;
  const ordered_json rank = j.value("r", ordered_json()),
                     alpha = j.value("lora_alpha", ordered_json()),
                     targets = j.value("target_modules", ordered_json());
  if (!rank.is_number_integer() || rank < 1 || rank > 65536) refuse("'r' is no rank");
  if (!alpha.is_number() || !std::isfinite(alpha.get<double>()) || alpha.get<double>() == 0)
    refuse("'lora_alpha' is no factor");
  if (!targets.is_array() || targets.empty()) refuse("'target_modules' is no list of names");
  for (const ordered_json& target : targets) {
    if (!target.is_string()) refuse("'target_modules' is no list of names");
    t.targets.push_back(target.get<std::string>());
  }
  const ordered_json dropout = j.value("lora_dropout", ordered_json(0.0));
  if (!dropout.is_number() || !(dropout.get<double>() >= 0 && dropout.get<double>() < 1))
    refuse("'lora_dropout' is no probability below 1");
  t.dropout = dropout.get<double>();
  t.rank = rank.get<std::int64_t>();
  t.alpha = alpha.get<double>();
  return t;
}

void load_adapter(const fs::path& folder, const harness::Device& device, const Parameters& all,
                  const std::vector<Tensor>& masters) {
  const SafetensorsFile file(folder / "adapter_model.safetensors");
  const auto& parameters = all.all();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& p = parameters[i];
    const std::vector<unsigned char> bytes = file.read(p.name, shape_of(p.value));
    const DType dtype = file.entries().at(p.name).dtype;
    if (!is_float(dtype))
      throw Error(file.path().string() + ": tensor '" + p.name + "' is no float type");
    const std::vector<float> values = decoded(dtype, bytes.data(), p.value.size());
    for (const float x : values)
      if (!std::isfinite(x))
        throw Error(file.path().string() + ": tensor '" + p.name + "' has NaN or infinity");
    upload_floats(device, p.value, values);
    if (!masters.empty()) upload_floats(device, masters[i], values);
  }
  if (file.entries().size() != parameters.size())
    throw Error(file.path().string() + ": has tensors that belong to no adapter of this model");
}

void load_adapter(const fs::path& folder, Trainer& trainer) {
  const Optimizer& o = trainer.optimizer();
  load_adapter(folder, trainer.backend().device(), trainer.model().parameters(),
               o.has_master() ? o.weights() : std::vector<Tensor>{});
}

fs::path adapter_folder(const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(folder / "adapter_config.json", ignored)) return folder;
  return last_checkpoint(folder).value_or(folder);
}

void save_merged(const fs::path& folder, Trainer& trainer) {
  make_folder(folder);
  const Parameters& parameters = trainer.model().parameters();
  const Tuning& tuning = parameters.tuning();
  const bool in_out = trainer.settings().config.family == Family::gpt2;
  std::map<std::string, const Parameter*> adapters;
  for (const Parameter& p : parameters.all()) adapters[p.name] = &p;
  std::vector<TensorToWrite> tensors;
  for (const Parameter& p : parameters.base())
    tensors.push_back({p.name, p.value.dtype, shape_of(p.value), [&] {
                         std::vector<float> w = values_of(trainer.ops(), p);
                         const std::string module =
                             peft_prefix + p.name.substr(0, p.name.rfind('.'));
                         const auto a_at = adapters.find(module + ".lora_A.weight");
                         if (a_at != adapters.end() && p.name.ends_with(".weight")) {
                           const std::vector<float> a = values_of(trainer.ops(), *a_at->second);
                           const std::vector<float> b =
                               values_of(trainer.ops(), *adapters.at(module + ".lora_B.weight"));
                           const std::int64_t rank = tuning.rank, columns = p.value.shape[1];
                           const std::int64_t in = in_out ? p.value.shape[0] : columns;
                           parallel_for(p.value.shape[0], 8, [&](std::int64_t row) {
                             for (std::int64_t column = 0; column < columns; ++column) {
                               const std::int64_t i = in_out ? row : column,
                                                  o = in_out ? column : row;
                               double sum = 0;  // B A
                               for (std::int64_t r = 0; r < rank; ++r)
                                 sum += double(b[static_cast<std::size_t>(o * rank + r)]) *
                                        double(a[static_cast<std::size_t>(r * in + i)]);
                               float& to = w[static_cast<std::size_t>(row * columns + column)];
                               to = static_cast<float>(to + tuning.scale() * sum);
                             }
                           });
                         }
                         return encoded(p.value.dtype, w.data(), p.value.size());
                       }});
  write_safetensors(folder / "model.safetensors", tensors, {{"format", "pt"}});
  const TrainSettings& s = trainer.settings();
  write_whole(folder / "config.json", config_to_json(s.config, s.dtype).dump(2) + "\n");
}

}  // namespace warpath::models
