// Weights as they would be in fewer bits, to measure what that costs.
#pragma once
#include <string>
#include <vector>

#include "models/backend.h"
#include "models/config.h"
#include "models/parameters.h"

namespace warpath::models {

std::vector<std::string> rounding_formats();

// Replaces the matrices of all linear layers by what the format keeps of them; embeddings, the head and vectors stay.
//   int8: one scale per output, its largest magnitude / 127
void round_weights(const std::string& format, const harness::Device& device, const Config& config,
                   const Parameters& parameters);

}  // namespace warpath::models
