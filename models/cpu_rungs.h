// Which rung a model calls where the device is simulated. The best one for a GPU hides the latency of memory by asynchronous
// copies and feeds tensor cores; a CPU has to carry out both, and simpler rungs of the same ladder are faster there. So are
// those whose threads work alone: at each barrier and shuffle a CPU switches between all threads of a block.
#pragma once
#include <cstring>

#include "ops/attention/attention/attention.h"
#include "ops/matmul/matmul/matmul.h"
#include "ops/norm/add_norm/add_norm.h"

namespace warpath::models {

// The name of the rung; null: the one that a GPU gets.
inline const char* rung_on_cpu(const char* op, const void* args) {
  const auto is = [op](const char* name) { return std::strcmp(op, name) == 0; };
  // A tile of 128 rows is mostly empty where there is one row, as in the gradient of a bias.
  if (is(matmul::Args::op))
    return static_cast<const matmul::Args*>(args)->m() < 8 ? "02_coalesced" : "05_registers_2d";
  const auto is_short = [](const Tensor& k) { return k.dtype == DType::f32 && k.shape[1] <= 128; };
  if (is(attention::Forward::op) && is_short(static_cast<const attention::Forward*>(args)->k))
    return "02_online";
  if (is(attention::Backward::op) && is_short(static_cast<const attention::Backward*>(args)->k))
    return "01_naive";
  if (is(add_norm::Backward::op) &&
      static_cast<const add_norm::Backward*>(args)->s.dtype == DType::f32)
    return "01_naive";
  return nullptr;
}

}  // namespace warpath::models
