#include "ops/quant/int8_matvec/int8_matvec.h"

#include <algorithm>
#include <cmath>

#include "core/host/parallel.h"
#include "core/host/registry.h"

namespace warpath::int8_matvec {
namespace {

void quantize(const Quantize& args, const Quantize&) {
  const std::int64_t k = args.k();
  parallel_for(args.n(), 4, [&](std::int64_t j) {
    const double* w = args.w.as<double>() + j * k;
    float most = 0;
    for (std::int64_t l = 0; l < k; ++l) most = std::max(most, std::abs(static_cast<float>(w[l])));
    args.scales.as<double>()[j] = most / 127.0f;
    const float factor = 127.0f / std::max(most, 0x1p-119f);
    for (std::int64_t l = 0; l < k; ++l)
      args.codes.as<std::int64_t>()[j * k + l] =
          128 + static_cast<std::int64_t>(std::nearbyint(static_cast<float>(w[l]) * factor));
  });
}

void dequantize(const Dequantize& args, const Dequantize&) {
  const std::int64_t k = args.k();
  parallel_for(args.n(), 4, [&](std::int64_t j) {
    for (std::int64_t l = 0; l < k; ++l)
      args.w.as<double>()[j * k + l] =
          args.scales.as<double>()[j] *
          static_cast<double>(args.codes.as<std::int64_t>()[j * k + l] - 128);
  });
}

void reference(const Args& args, const Args& scale) {
  const std::int64_t rows = args.rows(), n = args.n(), k = args.k();
  parallel_for(n, 16, [&](std::int64_t j) {
    const std::int64_t* codes = args.codes.as<std::int64_t>() + j * k;
    const double of_row = args.scales.as<double>()[j];
    const double bias = args.bias.data ? args.bias.as<double>()[j] : 0;
    for (std::int64_t r = 0; r < rows; ++r) {
      const double* x = args.x.as<double>() + r * k;
      double sum = 0, size = 0;
      for (std::int64_t l = 0; l < k; ++l) {
        const double product = x[l] * static_cast<double>(codes[l] - 128);
        sum += product;
        size += std::abs(product);
      }
      args.y.as<double>()[r * n + j] = sum * of_row + bias;
      scale.y.as<double>()[r * n + j] = size * std::abs(of_row) + std::abs(bias);
    }
  });
}

// One row in seven is zero, as the padding of a table is.
void prepare_weights(const Quantize& args) {
  for (std::int64_t j = 3; j < args.n(); j += 7)
    std::fill_n(args.w.as<double>() + j * args.k(), args.k(), 0.0);
}
template <class Args>
void prepare(const Args& args) {
  const Tensor& codes = args.codes;
  for (std::int64_t i = 0; i < codes.size(); ++i) codes.as<std::int64_t>()[i] &= 255;
}

Cost quantize_cost(const Quantize& args) {
  return {.flops = 2 * static_cast<double>(args.w.size()),
          .bytes = static_cast<double>(args.w.bytes() + args.codes.bytes() + args.scales.bytes())};
}
Cost dequantize_cost(const Dequantize& args) {
  return {.flops = static_cast<double>(args.w.size()),
          .bytes = static_cast<double>(args.w.bytes() + args.codes.bytes() + args.scales.bytes())};
}
Cost cost(const Args& args) {
  double bytes = 0;
  for (const Tensor* t : {&args.x, &args.codes, &args.scales, &args.y})
    bytes += static_cast<double>(t->bytes());
  if (args.bias.rank > 0) bytes += static_cast<double>(args.bias.bytes());
  return {.flops = 2 * static_cast<double>(args.y.size()) * static_cast<double>(args.k()),
          .bytes = bytes};
}

Tolerance quantize_tolerance(const Quantize&) {
  return {.out_ulps = 0};  // codes are codes, and a scale is rounded once
}
// As matvec, and the product with the scale.
Tolerance tolerance(const Args& args) {
  return {.out_ulps = 1, .f32_ulps = 5 + std::sqrt(static_cast<double>(args.k())) / 16};
}

std::vector<Case> quantize_cases() {
  std::vector<Case> all;
  const auto add = [&](const char* name, std::int64_t n, std::int64_t k, Case c = {}) {
    c.name = name, c.dims = {{"n", n}, {"k", k}};
    all.push_back(std::move(c));
  };
  add("one", 1, 1);
  add("no rows", 0, 8);
  add("nothing of k", 3, 0);
  add("warp-1", 5, 31);
  add("warp+1", 9, 33);
  add("primes", 11, 257);
  add("aligned", 8, 512);
  add("block", 3, 4096);
  add("block+1", 4, 4097);
  add("misaligned", 6, 256, {.offset = 1});
  add("far from zero", 5, 200, {.fill = Fill::low});
  add("ties", 9, 300, {.fill = Fill::ties});
  add("wide", 9, 600, {.fill = Fill::wide});
  add("ramp", 4, 515, {.fill = Fill::ramp});
  const std::vector<DType> timed = {DType::bf16};
  add("8192x8192", 8192, 8192, {.dtypes = timed, .bench = true});
  add("4096x14336", 4096, 14336, {.dtypes = timed, .bench = true});
  return all;
}

std::vector<Case> dequantize_cases() {
  std::vector<Case> all;
  const auto add = [&](const char* name, std::int64_t n, std::int64_t k, DType dtype, Case c = {}) {
    c.name = name, c.dims = {{"n", n}, {"k", k}}, c.types = {{"w", dtype}};
    all.push_back(std::move(c));
  };
  add("one", 1, 1, DType::f32);
  add("no rows", 0, 16, DType::f32);
  add("nothing of k", 3, 0, DType::bf16);
  add("a vector", 5, 16, DType::f32);
  add("warp-1", 5, 31, DType::bf16);
  add("primes", 11, 257, DType::f16);
  add("aligned f32", 9, 528, DType::f32);
  add("aligned f16", 9, 528, DType::f16);
  add("aligned bf16", 9, 4112, DType::bf16);
  add("misaligned", 6, 256, DType::bf16, {.offset = 1});
  add("wide", 9, 640, DType::bf16, {.fill = Fill::wide});
  add("8192x8192", 8192, 8192, DType::bf16, {.bench = true});
  add("4096x14336", 4096, 14336, DType::bf16, {.bench = true});
  return all;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](const char* name, std::int64_t rows, std::int64_t n, std::int64_t k,
                       Case c = {}, bool bias = false) {
    c.name = name, c.dims = {{"rows", rows}, {"n", n}, {"k", k}};
    if (!bias) c.without = {"bias"};
    all.push_back(std::move(c));
  };
  add("one", 1, 1, 1);
  add("no rows", 0, 5, 16);
  add("nothing of k", 2, 33, 0, {}, true);
  add("warp-1", 1, 31, 31);
  add("warp+1", 2, 33, 33);
  add("primes", 5, 101, 257);
  add("a vector", 1, 20, 16);
  add("a warp's stretch", 3, 20, 512);
  add("that and a vector", 4, 21, 528);
  add("seven rows", 7, 50, 272);
  add("nine rows", 9, 17, 64);
  add("sixteen rows", 16, 65, 448);
  add("seventeen rows", 17, 20, 128);
  add("long k", 2, 9, 16400);
  add("many outputs", 1, 3000, 64);
  add("bias", 3, 70, 128, {}, true);
  add("bias, long k", 8, 16, 4096, {}, true);
  add("misaligned", 2, 40, 256, {.offset = 1});
  add("x misaligned", 3, 24, 512, {.offsets = {{"x", 3}}});
  add("wide", 3, 40, 512, {.fill = Fill::wide, .dtypes = {DType::f32, DType::bf16}});
  add("special", 6, 30, 144, {.fill = Fill::special});
  const std::vector<DType> timed = {DType::bf16};
  for (const std::int64_t rows : {1, 8}) {
    const std::string words = rows == 1 ? "1 row" : "8 rows";
    add((words + " 8192x8192").c_str(), rows, 8192, 8192, {.dtypes = timed, .bench = true});
    add((words + " 4096x14336").c_str(), rows, 4096, 14336, {.dtypes = timed, .bench = true});
  }
  return all;
}

WARPATH_OP(Quantize, .reference = quantize, .cases = quantize_cases, .cost = quantize_cost,
           .tolerance = quantize_tolerance, .prepare = prepare_weights);
WARPATH_OP(Dequantize, .reference = dequantize, .cases = dequantize_cases, .cost = dequantize_cost,
           .prepare = prepare<Dequantize>);
WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost, .tolerance = tolerance,
           .prepare = prepare<Args>);

}  // namespace
}  // namespace warpath::int8_matvec
