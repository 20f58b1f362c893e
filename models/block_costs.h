// One transformer block by itself: the kernels of its passes, each with the bytes and operations that its op declares, as
// the models run it and with one kernel per operation. Nothing is launched, so any size can be asked for.
#pragma once
#include <string>
#include <vector>

#include "models/call.h"
#include "models/model.h"

namespace warpath::models {

struct BlockCosts {
  std::vector<Launch> forward, backward;  // as the models run them
  std::vector<Launch> apart;              // the forward pass, one kernel per operation
};

// Of GPT-2's or Llama's form. The norm in front of a block counts to the block before it, which adds to the residual stream
// by the same kernel.
BlockCosts block_costs(Backend& backend, const Config& config, const Batch& batch, DType dtype);

}  // namespace warpath::models
