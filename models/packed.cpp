#include "models/packed.h"

#include "ops/quant/int8_matvec/int8_matvec.h"
#include "ops/quant/nf4_matmul/nf4_matmul.h"
#include "ops/quant/nf4_quantize/nf4_quantize.h"

namespace warpath::models {

// Up to which a product reads little but the weight; expanding it costs a pass of its own.
static constexpr std::int64_t few_rows_packed = 16;

Packed Packed::make(Memory& memory, const std::string& name, Form form, DType dtype,
                    std::int64_t rows, std::int64_t columns) {
  Arena& arena = memory.parameters;
  const std::int64_t weights = rows * columns;
  Packed p;
  p.form = form;
  if (form == Form::int8) {
    p.codes = arena.add(name + ".codes", DType::u8, {rows, columns});
    p.scales = arena.add(name + ".scales", DType::f32, {rows});
  } else {
    const std::int64_t blocks = weights / nf4::block;
    WARPATH_CHECK(weights % nf4::block == 0, name + " has " + std::to_string(weights) +
                                                 " weights, no multiple of 64: it cannot be NF4");
    p.codes = arena.add(name + ".codes", DType::u8, {blocks, nf4::block / 2});
    p.absmax = arena.add(name + ".absmax", DType::u8, {blocks});
    p.scales = arena.add(name + ".scales", DType::f32, {nf4::groups_of(blocks)});
    p.offset = arena.add(name + ".offset", DType::f32, {1});
  }
  p.expanded =
      reshaped(memory.activations.shared("d_expanded." + std::to_string(weights), dtype, {weights}),
               {rows, columns});
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

bool Packed::multiplies(const Tensor& x) const {
  return there() && x.shape[0] <= few_rows_packed &&
         (form == Form::int8 || x.shape[1] % nf4::block == 0);
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
