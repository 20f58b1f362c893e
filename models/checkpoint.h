// What a run can be picked up from, bit for bit: a folder "step-000100" with
//   model.safetensors, config.json      the model, as Hugging Face names it
//   optimizer.safetensors               moments, and master weights where there are any
//   tokenizer.json                      and what belongs to it, where the model has one
//   state.json                          the step, and the settings that must be the same
// A folder is written under another name and moved to its place when it is whole.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/trainer.h"

namespace warpath::models {

void save_checkpoint(const std::filesystem::path& folder, const Trainer& trainer, const Data& data,
                     std::int64_t step);

// The highest step saved under `folder`; none where there is no checkpoint.
std::optional<std::filesystem::path> last_checkpoint(const std::filesystem::path& folder);

// Puts the state back and returns its step. Refuses the checkpoint of another model, data or seed.
std::int64_t load_checkpoint(const std::filesystem::path& checkpoint, Trainer& trainer,
                             const Data& data);

// The parameters alone, and the same in f32 in `masters` where there are any. Any float type becomes the model's.
void load_weights(const std::filesystem::path& safetensors, const harness::Device& device,
                  const Parameters& parameters, const std::vector<Tensor>& masters = {});
void load_weights(const std::filesystem::path& safetensors, Trainer& trainer);

// config.json as Hugging Face's transformers reads it, and back.
nlohmann::ordered_json config_to_json(const Config& c, DType dtype);
Config config_from_json(const nlohmann::ordered_json& j, const std::string& file);
Config read_config(const std::filesystem::path& file);
// The tokens at which a text ends (eos_token_id), by generation_config.json or config.json; none where they name none.
std::vector<std::int32_t> end_tokens(const std::filesystem::path& folder);

}  // namespace warpath::models
