// A weight in NF4 with double quantisation: a quarter of the bytes of 16-bit weights (ops/quant/nf4.h).
#pragma once
#include <string>

#include "models/arena.h"
#include "models/call.h"

namespace warpath::models {

struct Packed {
  Tensor codes, absmax, scales, offset;  // of all weights in one row
  Tensor expanded;  // (rows, columns) in the model's type; matrices of one size take turns at it

  bool there() const { return codes.rank > 0; }

  // Its number of weights must be a multiple of 64.
  static Packed make(Memory& memory, const std::string& name, DType dtype, std::int64_t rows,
                     std::int64_t columns);

  void pack(Ops& ops) const;    // what `expanded` holds
  void expand(Ops& ops) const;  // into `expanded`
  // y = x w^T of a (out, in) weight, without expanding it in memory; `in` is a multiple of 64.
  void multiply(Ops& ops, const Tensor& x, const Tensor& y) const;
};

}  // namespace warpath::models
