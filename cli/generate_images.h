// `warpath generate` with a diffusion model: images as PNG files.
#pragma once
#include <filesystem>

#include "cli/command.h"
#include "cli/select.h"
#include "models/config.h"

namespace warpath::cli {

// `folder`: config.json and model.safetensors.
int generate_images(const Options& o, const harness::Places& places,
                    const std::filesystem::path& folder, const models::Config& config);

}  // namespace warpath::cli
