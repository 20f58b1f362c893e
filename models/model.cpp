#include "models/model.h"

#include "models/dit.h"
#include "models/transformer.h"
#include "models/vit.h"

namespace warpath::models {

std::unique_ptr<Model> make_model(const Config& config, const Batch& batch, DType dtype,
                                  Memory& memory) {
  if (config.family == Family::vit) return std::make_unique<Vit>(config, batch, dtype, memory);
  if (config.family == Family::dit) return std::make_unique<Dit>(config, batch, dtype, memory);
  return std::make_unique<Transformer>(config, batch, dtype, memory);
}

}  // namespace warpath::models
