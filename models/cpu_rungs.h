// Which rung a model calls where the device is simulated. The best one for a GPU hides the latency of memory by asynchronous
// copies and feeds tensor cores; a CPU has to carry out both, and simpler rungs of the same ladder are faster there.
#pragma once
#include <cstring>

#include "ops/matmul/matmul/matmul.h"

namespace warpath::models {

// The name of the rung; null: the one that a GPU gets.
inline const char* rung_on_cpu(const char* op, const void* args) {
  if (std::strcmp(op, matmul::Args::op) != 0) return nullptr;
  // A tile of 128 rows is mostly empty where there is one row, as in the gradient of a bias.
  return static_cast<const matmul::Args*>(args)->m() < 8 ? "02_coalesced" : "05_registers_2d";
}

}  // namespace warpath::models
