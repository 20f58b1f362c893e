#include "models/rounded_weights.h"

#include <algorithm>
#include <cmath>

#include "core/host/error.h"
#include "models/floats.h"

namespace warpath::models {
namespace {

// One row of outputs x inputs, `stride` apart.
void round_int8(float* w, std::int64_t count, std::int64_t stride) {
  float largest = 0;
  for (std::int64_t i = 0; i < count; ++i) largest = std::max(largest, std::fabs(w[i * stride]));
  if (largest == 0) return;
  const float scale = largest / 127;
  for (std::int64_t i = 0; i < count; ++i)
    w[i * stride] = std::nearbyint(w[i * stride] / scale) * scale;
}

bool of_linear_layer(const Parameter& p) {
  if (p.value.rank != 2) return false;
  for (const char* other : {"wte.", "wpe.", "embed_tokens.", "lm_head."})
    if (p.name.find(other) != p.name.npos) return false;
  return true;
}

}  // namespace

std::vector<std::string> rounding_formats() {
  return {"int8"};
}

void round_weights(const std::string& format, const harness::Device& device, const Config& config,
                   const Parameters& parameters) {
  WARPATH_CHECK(format == "int8", "a format that is known");
  for (const Parameter& p : parameters.all()) {
    if (!of_linear_layer(p)) continue;
    std::vector<float> values = download_floats(device, p.value);
    // GPT-2 keeps a weight as (in, out), Llama as (out, in).
    const bool outputs_last = config.family == Family::gpt2;
    const std::int64_t rows = p.value.shape[0], columns = p.value.shape[1];
    for (std::int64_t i = 0; i < (outputs_last ? columns : rows); ++i)
      round_int8(values.data() + (outputs_last ? i : i * columns), outputs_last ? rows : columns,
                 outputs_last ? columns : 1);
    upload_floats(device, p.value, values);
  }
}

}  // namespace warpath::models
