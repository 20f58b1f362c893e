// Adapters as PEFT writes them, adapter_config.json and adapter_model.safetensors in a folder, and models with their adapters
// merged in.
#pragma once
#include <filesystem>

#include "models/trainer.h"

namespace warpath::models {

// Targets in words of people or of PEFT: "q,v", "all", "c_attn". Throws Error with the words that the family knows.
std::vector<std::string> parse_targets(const std::string& words, Family family);

// What the adapters of a folder are; refuses kinds of adapters that are not computed here.
Tuning read_adapter_config(const std::filesystem::path& folder);
void write_adapter_config(const std::filesystem::path& folder, const TrainSettings& settings);

// The folder itself, or the last checkpoint of a run.
std::filesystem::path adapter_folder(const std::filesystem::path& folder);

// The adapters' values, and the same in f32 in `masters` where there are any; the model was made with that folder's tuning.
void load_adapter(const std::filesystem::path& folder, const harness::Device& device,
                  const Parameters& parameters, const std::vector<Tensor>& masters = {});
void load_adapter(const std::filesystem::path& folder, Trainer& trainer);

// A model as Hugging Face has it, with W + alpha / rank * B A in place of each matrix that has an adapter.
void save_merged(const std::filesystem::path& folder, Trainer& trainer);

}  // namespace warpath::models
