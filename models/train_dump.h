// What one batch does to a model, as a safetensors file: for tests against another implementation.
#pragma once
#include <filesystem>

#include "models/trainer.h"

namespace warpath::models {

// "tokens", "labels", "loss", "logits", "parameter.NAME" and "gradient.NAME", floats in f32; where adapters are trained, those
// two are of the adapters, and "base.NAME" is the model's own, as its layers see it.
void dump_gradients(const std::filesystem::path& file, Trainer& trainer, const Sample& sample);

}  // namespace warpath::models
