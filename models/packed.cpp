#include "models/packed.h"

#include <numeric>

#include "ops/quant/int8_matvec/int8_matvec.h"
#include "ops/quant/nf4_matmul/nf4_matmul.h"
#include "ops/quant/nf4_quantize/nf4_quantize.h"

namespace warpath::models {

// Up to which a product reads little but the weight; expanding it costs a pass of its own.
static constexpr std::int64_t few_rows_packed = 16;

static Tensor expanded_of(Memory& memory, DType dtype, std::int64_t rows, std::int64_t columns) {
  const std::int64_t weights = rows * columns;
  return reshaped(
      memory.activations.shared("d_expanded." + std::to_string(weights), dtype, {weights}),
      {rows, columns});
}

static Packed make_nf4(Memory& memory, const std::string& name, DType dtype, std::int64_t rows,
                       std::int64_t columns) {
  Arena& arena = memory.parameters;
  const std::int64_t weights = rows * columns, blocks = weights / nf4::block;
  WARPATH_CHECK(weights % nf4::block == 0, name + " has " + std::to_string(weights) +
                                               " weights, no multiple of 64: it cannot be NF4");
  Packed p;
  p.form = Form::nf4;
  p.codes = arena.add(name + ".codes", DType::u8, {blocks, nf4::block / 2});
  p.absmax = arena.add(name + ".absmax", DType::u8, {blocks});
  p.scales = arena.add(name + ".scales", DType::f32, {nf4::groups_of(blocks)});
  p.offset = arena.add(name + ".offset", DType::f32, {1});
  p.expanded = expanded_of(memory, dtype, rows, columns);
  return p;
}

Packed Packed::make(Memory& memory, const std::string& name, Form form, DType dtype,
                    std::int64_t rows, std::int64_t columns) {
  return make_all(memory, {name}, form, dtype, {rows}, columns)[0];
}

std::vector<Packed> Packed::make_all(Memory& memory, const std::vector<std::string>& names,
                                     Form form, DType dtype, const std::vector<std::int64_t>& rows,
                                     std::int64_t columns) {
  std::vector<Packed> all(names.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (form == Form::nf4) {
      all[i] = make_nf4(memory, names[i], dtype, rows[i], columns);
      continue;
    }
    all[i].form = form;
    all[i].codes = memory.parameters.add(names[i] + ".codes", DType::u8, {rows[i], columns});
    all[i].expanded = expanded_of(memory, dtype, rows[i], columns);
  }
  if (form == Form::nf4) return all;
  const std::int64_t of_all = std::accumulate(rows.begin(), rows.end(), std::int64_t{0});
  const Tensor scales = memory.parameters.add(names[0] + ".scales", DType::f32, {of_all});
  std::int64_t first = 0;
  for (std::size_t i = 0; i < all.size(); first += rows[i++])
    all[i].scales = models::rows(scales, first, rows[i]);
  return all;
}

Packed Packed::joined(const std::vector<Packed>& parts) {
  Packed p;
  if (parts.at(0).form != Form::int8) return p;
  std::vector<Tensor> codes, scales;
  for (const Packed& part : parts) codes.push_back(part.codes), scales.push_back(part.scales);
  p.codes = stacked(codes), p.scales = stacked(scales);
  if (p.codes.data && p.scales.data) p.form = Form::int8;
  return p;
}

void Packed::pack(Ops& ops) const {
  if (form == Form::int8) {
    int8_matvec::Quantize args;
    args.w = expanded, args.codes = codes, args.scales = scales;
    return ops.call(args);
  }
  nf4_quantize::Quantize args;
  args.w = reshaped(expanded, {absmax.size(), nf4::block});
  args.codes = codes, args.absmax = absmax, args.scales = scales, args.offset = offset;
  args.groups = scales.size();
  ops.call(args);
}

void Packed::expand(Ops& ops) const {
  if (form == Form::int8) {
    int8_matvec::Dequantize args;
    args.codes = codes, args.scales = scales, args.w = expanded;
    return ops.call(args);
  }
  nf4_quantize::Dequantize args;
  args.codes = codes, args.absmax = absmax, args.scales = scales, args.offset = offset;
  args.w = reshaped(expanded, {absmax.size(), nf4::block});
  ops.call(args);
}

bool Packed::multiplies(std::int64_t rows, std::int64_t columns) const {
  return there() && rows <= few_rows_packed && (form == Form::int8 || columns % nf4::block == 0);
}

void Packed::multiply(Ops& ops, const Tensor& x, const Tensor& y) const {
  if (form == Form::int8) {
    int8_matvec::Args args;
    args.x = x, args.codes = codes, args.scales = scales, args.y = y;
    return ops.call(args);
  }
  const std::int64_t n = expanded.shape[0], blocks = expanded.shape[1] / nf4::block;
  nf4_matmul::Args args;
  args.x = x, args.y = y;
  args.codes = reshaped(codes, {n, blocks, nf4::block / 2});
  args.absmax = reshaped(absmax, {n, blocks});
  args.scales = scales, args.offset = offset;
  ops.call(args);
}

}  // namespace warpath::models
