// `warpath generate` with a diffusion model: images as PNG files.
#pragma once
#include "cli/command.h"
#include "cli/models/generate_model.h"

namespace warpath::cli {

int generate_images(const Options& o, const harness::Places& places, const GenerateModel& m);

}  // namespace warpath::cli
