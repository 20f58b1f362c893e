#include "ops/quant/nf4_quantize/nf4_quantize.h"

#include <algorithm>
#include <cmath>

#include "core/host/parallel.h"
#include "core/host/registry.h"

namespace warpath::nf4_quantize {
namespace {

constexpr int block = nf4::block, group = nf4::group;

// The index of the value nearest to x / most, in float as the contract says.
template <int N>
std::int64_t nearest(const float (&values)[N], float x, float most) {
  const float t = x * (1.0f / std::max(most, 0x1p-126f));
  std::int64_t code = 0;
  for (int i = 0; i + 1 < N; ++i) code += t > (values[i] + values[i + 1]) * 0.5f ? 1 : 0;
  return code;
}

void quantize(const Quantize& args, const Quantize&) {
  check_groups(args);
  const std::int64_t blocks = args.blocks();
  const double* w = args.w.as<double>();
  std::vector<float> most(static_cast<std::size_t>(blocks));
  parallel_for(blocks, 64, [&](std::int64_t b) {
    float& a = most[static_cast<std::size_t>(b)];
    for (int i = 0; i < block; ++i) a = std::max(a, std::abs(static_cast<float>(w[b * block + i])));
    for (int i = 0; i < block; i += 2) {
      const auto code = [&](int at) {
        return nearest(nf4::values.at, static_cast<float>(w[b * block + at]), a);
      };
      args.codes.as<std::int64_t>()[(b * block + i) / 2] = code(i) << 4 | code(i + 1);
    }
  });
  double sum = 0;
  for (const float a : most) sum += a;
  const auto offset = static_cast<float>(blocks ? sum / static_cast<double>(blocks) : 0);
  args.offset.as<double>()[0] = offset;
  for (std::int64_t g = 0; g < nf4::groups_of(blocks); ++g) {
    const std::int64_t first = g * group, last = std::min(blocks, first + group);
    float scale = 0;
    for (std::int64_t b = first; b < last; ++b)
      scale = std::max(scale, std::abs(most[static_cast<std::size_t>(b)] - offset));
    args.scales.as<double>()[g] = scale;
    for (std::int64_t b = first; b < last; ++b)
      args.absmax.as<std::int64_t>()[b] =
          nearest(nf4::map.at, most[static_cast<std::size_t>(b)] - offset, scale);
  }
}

void dequantize(const Dequantize& args, const Dequantize& scale) {
  check_groups(args);
  const double offset = args.offset.as<double>()[0];
  parallel_for(args.blocks(), 64, [&](std::int64_t b) {
    const double spread = static_cast<double>(nf4::map.at[args.absmax.as<std::int64_t>()[b]]) *
                          args.scales.as<double>()[b / group];
    for (int i = 0; i < block; ++i) {
      const std::int64_t byte = args.codes.as<std::int64_t>()[(b * block + i) / 2];
      const double value = nf4::values.at[i % 2 ? byte & 15 : byte >> 4];
      args.w.as<double>()[b * block + i] = value * (spread + offset);
      // spread and offset may cancel; a float's rounding is measured against both.
      scale.w.as<double>()[b * block + i] = std::abs(value) * (std::abs(spread) + std::abs(offset));
    }
  });
}

// One block in seven is zero, as the padding of a table is.
void prepare_weights(const Quantize& args) {
  for (std::int64_t b = 3; b < args.blocks(); b += 7)
    std::fill_n(args.w.as<double>() + b * block, block, 0.0);
}

// Codes and maxima of any bytes; scales and a mean as a layer has them, above zero.
void prepare(const Dequantize& args) {
  for (std::int64_t i = 0; i < args.codes.size(); ++i) args.codes.as<std::int64_t>()[i] &= 255;
  for (std::int64_t i = 0; i < args.absmax.size(); ++i) args.absmax.as<std::int64_t>()[i] &= 255;
  for (std::int64_t i = 0; i < args.scales.size(); ++i)
    args.scales.as<double>()[i] = std::abs(args.scales.as<double>()[i]);
  args.offset.as<double>()[0] = std::abs(args.offset.as<double>()[0]);
}

template <class Args>
Cost cost(const Args& args) {
  double bytes = 0;
  for (const Tensor* t : {&args.w, &args.codes, &args.absmax, &args.scales, &args.offset})
    bytes += static_cast<double>(t->bytes());
  // A quotient and four comparisons, or a lookup and a product.
  return {.flops = (Args::op == Quantize::op ? 5.0 : 1.0) * static_cast<double>(args.w.size()),
          .bytes = bytes};
}

Tolerance quantize_tolerance(const Quantize&) {
  return {.out_ulps = 0};  // codes are codes; the mean is rounded once, and the scales follow
}
Tolerance dequantize_tolerance(const Dequantize&) {
  return {.out_ulps = 1, .f32_ulps = 1};
}

std::vector<Case> sizes(bool back) {
  std::vector<Case> all;
  const auto add = [&](const char* name, std::int64_t blocks, Case c = {}) {
    c.name = name;
    c.dims = {{"blocks", blocks}, {"groups", nf4::groups_of(blocks)}};
    if (!back) c.scalars.insert({"groups", nf4::groups_of(blocks)});
    all.push_back(std::move(c));
  };
  add("none", 0);
  add("one block", 1);
  add("warp-1", 31);
  add("warp+1", 33);
  add("group-1", 255);
  add("group", 256);
  add("group+1", 257);
  add("prime", 1009);
  add("misaligned", 130, {.offset = 1});
  add("far from zero", 70, {.fill = Fill::low});
  if (back) {
    for (Case& c : all)  // the weights' type is free: another one from case to case
      c.types = {{"w", std::vector{DType::f32, DType::f16, DType::bf16}[(&c - all.data()) % 3]}};
    add("long f32", 2100, {.types = {{"w", DType::f32}}});
    add("long f16", 2100, {.types = {{"w", DType::f16}}});
    add("long bf16", 2100, {.types = {{"w", DType::bf16}}});
    add("4096x14336", 4096 * 224, {.types = {{"w", DType::bf16}}, .bench = true});
    add("8192x8192", 8192 * 128, {.types = {{"w", DType::bf16}}, .bench = true});
    return all;
  }
  add("long", 2100);
  add("ties", 300, {.fill = Fill::ties});
  add("wide", 600, {.fill = Fill::wide});
  add("extreme", 40, {.fill = Fill::extreme, .dtypes = {DType::f16, DType::bf16}});
  add("ramp", 515, {.fill = Fill::ramp});
  const std::vector<DType> timed = {DType::bf16};
  add("4096x14336", 4096 * 224, {.dtypes = timed, .bench = true});
  add("8192x8192", 8192 * 128, {.dtypes = timed, .bench = true});
  return all;
}
std::vector<Case> quantize_cases() {
  return sizes(false);
}
std::vector<Case> dequantize_cases() {
  return sizes(true);
}

WARPATH_OP(Quantize, .reference = quantize, .cases = quantize_cases, .cost = cost,
           .tolerance = quantize_tolerance, .prepare = prepare_weights);
WARPATH_OP(Dequantize, .reference = dequantize, .cases = dequantize_cases, .cost = cost,
           .tolerance = dequantize_tolerance, .prepare = prepare);

}  // namespace
}  // namespace warpath::nf4_quantize
