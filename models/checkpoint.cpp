#include "models/checkpoint.h"

#include <fmt/format.h>

#include "core/host/error.h"
#include "harness/buffer.h"
#include "models/adapter_file.h"
#include "models/files.h"
#include "models/floats.h"
#include "models/safetensors.h"

using nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace warpath::models {
namespace {

TensorToWrite to_write(const harness::Device& device, const std::string& name, const Tensor& t) {
  return {name, t.dtype, shape_of(t), [&device, t] {
            std::vector<unsigned char> bytes(static_cast<std::size_t>(t.bytes()));
            harness::must(device.download(bytes.data(), t.data, t.bytes()));
            return bytes;
          }};
}

// A tensor of the very type: bits are not changed.
void load_exactly(const harness::Device& device, const SafetensorsFile& file,
                  const std::string& name, const Tensor& t) {
  const std::vector<unsigned char> bytes = file.read(name, shape_of(t));
  if (file.entries().at(name).dtype != t.dtype)
    throw Error(file.path().string() + ": tensor '" + name + "' has another type than the run");
  harness::must(device.upload(t.data, bytes.data(), t.bytes()));
}

// The settings that the next steps depend on.
ordered_json settings_json(const TrainSettings& s, const Data& data) {
  ordered_json j = {{"batch", s.batch.size},
                    {"sequence", s.batch.sequence},
                    {"dtype", name(s.dtype)},
                    {"accumulate", s.accumulate},
                    {"seed", s.seed},
                    {"rate", s.rate},
                    {"least_rate", s.least_rate},
                    {"steps", s.steps},
                    {"warmup", s.warmup},
                    {"weight_decay", s.adam.weight_decay},
                    {"clip", s.adam.clip},
                    {"beta1", s.adam.beta1},
                    {"beta2", s.adam.beta2},
                    {"eps", s.adam.eps},
                    {"data", fmt::format("{:016x}", data.fingerprint())}};
  const Tuning& t = s.batch.tuning;
  if (t.adapts()) {
    j["lora"] = t.targets, j["rank"] = t.rank, j["alpha"] = t.alpha;
    j["lora_dropout"] = t.dropout;
    j["quantise"] = models::name(t.form);
  }
  return j;
}

ordered_json read_json(const fs::path& path) {
  ordered_json j = ordered_json::parse(read_whole(path), nullptr, false);
  if (!j.is_object()) throw Error(path.string() + ": no JSON object");
  return j;
}

}  // namespace

void save_checkpoint(const fs::path& folder, const Trainer& trainer, const Data& data,
                     std::int64_t step) {
  const std::string name = fmt::format("step-{:06}", step);
  const fs::path partial = folder / ("." + name + ".partial"), whole = folder / name;
  std::error_code error;
  fs::create_directories(folder, error);
  fs::remove_all(partial, error);
  if (!fs::create_directory(partial, error))
    throw Error(partial.string() + ": cannot be made: " + error.message());
  const harness::Device& device = trainer.backend().device();
  std::vector<TensorToWrite> weights, state;
  for (const Parameter& p : trainer.model().parameters().all())
    weights.push_back(to_write(device, p.name, p.value));
  for (const Named& n : trainer.optimizer().state())
    state.push_back(to_write(device, n.name, n.tensor));
  const TrainSettings& s = trainer.settings();
  const bool adapts = s.batch.tuning.adapts();
  write_safetensors(partial / (adapts ? "adapter_model.safetensors" : "model.safetensors"), weights,
                    {{"format", "pt"}});
  if (adapts) write_adapter_config(partial, s);
  write_safetensors(partial / "optimizer.safetensors", state);
  write_whole(partial / "config.json", config_to_json(s.config, s.dtype).dump(2) + "\n");
  if (!s.tokenizer_json.empty()) write_whole(partial / "tokenizer.json", s.tokenizer_json);
  if (!s.tokenizer.empty())
    for (const char* file : {Tokenizer::file_name, "tokenizer_config.json",
                             "special_tokens_map.json", "generation_config.json"})
      if (fs::exists(s.tokenizer / file, error))
        write_whole(partial / file, read_whole(s.tokenizer / file));
  const ordered_json j = {{"step", step}, {"settings", settings_json(s, data)}};
  write_whole(partial / "state.json", j.dump(2) + "\n");
  fs::remove_all(whole, error);
  fs::rename(partial, whole, error);
  if (error) throw Error(whole.string() + ": cannot be written: " + error.message());
  sync_folder(folder);
}

std::optional<fs::path> last_checkpoint(const fs::path& folder) {
  std::optional<fs::path> last;
  std::int64_t most = -1;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("step-") || name.size() < 6 || name.size() > 20 ||
        name.find_first_not_of("0123456789", 5) != name.npos)
      continue;
    if (const std::int64_t step = std::stoll(name.substr(5)); step > most)
      most = step, last = entry.path();
  }
  return last;
}

std::int64_t load_checkpoint(const fs::path& checkpoint, Trainer& trainer, const Data& data) {
  const fs::path at = checkpoint / "state.json";
  const ordered_json state = read_json(at);
  if (!state.contains("step") || !state["step"].is_number_integer() || !state.contains("settings"))
    throw Error(at.string() + ": has no step and settings");
  const ordered_json now = settings_json(trainer.settings(), data);
  for (const auto& [key, value] : now.items()) {
    const ordered_json was = state["settings"].value(key, ordered_json());
    if (was != value)
      throw Error(
          fmt::format("{}: this run has {} {}, the checkpoint {}; it cannot go on from there",
                      at.string(), key, value.dump(), was.dump()));
  }
  if (read_config(checkpoint / "config.json") != trainer.settings().config)
    throw Error((checkpoint / "config.json").string() + ": the checkpoint of another model");
  const harness::Device& device = trainer.backend().device();
  const bool adapts = trainer.settings().batch.tuning.adapts();
  const SafetensorsFile weights(checkpoint /
                                (adapts ? "adapter_model.safetensors" : "model.safetensors")),
      moments(checkpoint / "optimizer.safetensors");
  for (const Parameter& p : trainer.model().parameters().all())
    load_exactly(device, weights, p.name, p.value);
  for (const Named& n : trainer.optimizer().state())
    load_exactly(device, moments, n.name, n.tensor);
  return state["step"].get<std::int64_t>();
}

Config read_config(const fs::path& file) {
  return config_from_json(read_json(file), file.string());
}

void load_weights(const fs::path& safetensors, const harness::Device& device,
                  const Parameters& parameters, const std::vector<Tensor>& masters, Ops* ops) {
  const SafetensorsFile file(safetensors);
  for (std::size_t i = 0; i < parameters.base().size(); ++i) {
    const Parameter& p = parameters.base()[i];
    // GPT-2's first files have the names without their prefix.
    const std::string prefix = "transformer.";
    const bool bare = !file.entries().contains(p.name) && p.name.starts_with(prefix) &&
                      file.entries().contains(p.name.substr(prefix.size()));
    const std::string key = bare ? p.name.substr(prefix.size()) : p.name;
    const std::vector<unsigned char> bytes = file.read(key, shape_of(p.value));
    const DType dtype = file.entries().at(key).dtype;
    if (!is_float(dtype))
      throw Error(file.path().string() + ": tensor '" + key + "' is " + std::string(name(dtype)) +
                  ", no float type");
    if (!all_finite(dtype, bytes.data(), p.value.size()))
      throw Error(file.path().string() + ": tensor '" + p.name + "' has NaN or infinity");
    WARPATH_CHECK(ops || !p.packed.there(), "a packed weight needs the ops to pack it");
    if (!p.packed.there() && masters.empty() && dtype == p.value.dtype) {
      harness::must(device.upload(p.value.data, bytes.data(), p.value.bytes()));
      continue;
    }
    const std::vector<float> values = decoded(dtype, bytes.data(), p.value.size());
    if (p.packed.there())
      store_values(*ops, p, values);
    else
      upload_floats(device, p.value, values);
    if (!masters.empty()) upload_floats(device, masters[i], values);
  }
}

void load_weights(const fs::path& safetensors, Trainer& trainer) {
  const Optimizer& o = trainer.optimizer();
  const Parameters& parameters = trainer.model().parameters();
  const bool master = o.has_master() && !parameters.tuning().adapts();
  load_weights(safetensors, trainer.backend().device(), parameters,
               master ? o.weights() : std::vector<Tensor>{}, &trainer.ops());
}

}  // namespace warpath::models
