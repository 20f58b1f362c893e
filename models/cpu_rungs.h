// Which rung a model calls where the device is simulated. The best one for a GPU hides the latency of memory by asynchronous
// copies, feeds tensor cores, and lets the threads of a warp share a row; a CPU has to carry out each copy, product and
// exchange, and simpler rungs of the same ladder, in which a thread has a row of its own, are faster there.
#pragma once
#include <cstring>
#include <utility>

#include "ops/matmul/matmul/matmul.h"

namespace warpath::models {

// The name of the rung; null: the one that a GPU gets.
inline const char* rung_on_cpu(const char* op, const void* args) {
  if (std::strcmp(op, matmul::Args::op) == 0)
    // A tile of 128 rows is mostly empty where there is one row, as in the gradient of a bias.
    return static_cast<const matmul::Args*>(args)->m() < 8 ? "02_coalesced" : "05_registers_2d";
  constexpr std::pair<const char*, const char*> others[] = {{"attention", "02_online"},
                                                            {"attention_backward", "01_naive"},
                                                            {"add_norm_backward", "01_naive"},
                                                            {"layer_norm", "01_naive"},
                                                            {"rms_norm", "01_naive"}};
  for (const auto& [name, rung] : others)
    if (std::strcmp(op, name) == 0) return rung;
  return nullptr;
}

}  // namespace warpath::models
