// A weight in 8 bits with a scale per row, or in NF4 with double quantisation: a half or a quarter of the bytes of 16-bit
// weights (ops/quant).
#pragma once
#include <string>
#include <vector>

#include "models/arena.h"
#include "models/call.h"
#include "models/tuning.h"

namespace warpath::models {

struct Packed {
  Form form = Form::plain;
  Tensor codes, scales;   // of 8 bits: (rows, columns), (rows)
  Tensor absmax, offset;  // beside them of NF4, all weights in one row
  Tensor expanded;  // (rows, columns) in the model's type; matrices of one size take turns at it

  bool there() const { return form != Form::plain; }

  // In NF4 its number of weights must be a multiple of 64.
  static Packed make(Memory& memory, const std::string& name, Form form, DType dtype,
                     std::int64_t rows, std::int64_t columns);
  // Matrices with as many columns, of `rows` each. Of 8 bits the codes of all lie one behind the other where each of them fills
  // the arena's alignment, and so do the scales.
  static std::vector<Packed> make_all(Memory& memory, const std::vector<std::string>& names,
                                      Form form, DType dtype, const std::vector<std::int64_t>& rows,
                                      std::int64_t columns);
  // Several as one that multiply() can take; a plain one where their parts do not lie one behind the other. NF4 has an
  // offset per matrix, so that several are never one.
  static Packed joined(const std::vector<Packed>& parts);

  void pack(Ops& ops) const;    // what `expanded` holds
  void expand(Ops& ops) const;  // into `expanded`
  // Whether multiply() can take x: few rows, and of NF4 a multiple of 64 columns.
  bool multiplies(const Tensor& x) const { return multiplies(x.shape[0], x.shape[1]); }
  bool multiplies(std::int64_t rows, std::int64_t columns) const;
  // y = x w^T of a (out, in) weight, without expanding it in memory.
  void multiply(Ops& ops, const Tensor& x, const Tensor& y) const;
};

}  // namespace warpath::models
