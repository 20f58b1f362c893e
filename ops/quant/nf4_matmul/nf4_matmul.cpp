#include "ops/quant/nf4_matmul/nf4_matmul.h"

#include <cmath>

#include "core/host/parallel.h"
#include "core/host/registry.h"

namespace warpath::nf4_matmul {

static void reference(const Args& args, const Args& scale) {
  check_sizes(args);
  const std::int64_t rows = args.rows(), n = args.n(), k = args.k();
  const double offset = args.offset.as<double>()[0];
  parallel_for(n, 4, [&](std::int64_t j) {
    std::vector<double> w(static_cast<std::size_t>(k)), most(static_cast<std::size_t>(k));
    for (std::int64_t l = 0; l < k; ++l) {
      const std::int64_t at = j * k + l, b = at / nf4::block;
      const std::int64_t byte = args.codes.as<std::int64_t>()[at / 2];
      const double value = nf4::values.at[at % 2 ? byte & 15 : byte >> 4];
      const double spread = static_cast<double>(nf4::map.at[args.absmax.as<std::int64_t>()[b]]) *
                            args.scales.as<double>()[b / nf4::group];
      w[static_cast<std::size_t>(l)] = value * (spread + offset);
      // spread and offset may cancel; a float's rounding is measured against both.
      most[static_cast<std::size_t>(l)] = std::abs(value) * (std::abs(spread) + std::abs(offset));
    }
    const double bias = args.bias.data ? args.bias.as<double>()[j] : 0;
    for (std::int64_t r = 0; r < rows; ++r) {
      const double* x = args.x.as<double>() + r * k;
      double sum = 0, size = 0;
      for (std::int64_t l = 0; l < k; ++l) {
        sum += x[l] * w[static_cast<std::size_t>(l)];
        size += std::abs(x[l]) * most[static_cast<std::size_t>(l)];
      }
      args.y.as<double>()[r * n + j] = sum + bias;
      scale.y.as<double>()[r * n + j] = size + std::abs(bias);
    }
  });
}

// Any bytes; scales and a mean above zero, as a layer has them.
static void prepare(const Args& args) {
  for (std::int64_t i = 0; i < args.codes.size(); ++i) args.codes.as<std::int64_t>()[i] &= 255;
  for (std::int64_t i = 0; i < args.absmax.size(); ++i) args.absmax.as<std::int64_t>()[i] &= 255;
  for (std::int64_t i = 0; i < args.scales.size(); ++i)
    args.scales.as<double>()[i] = std::abs(args.scales.as<double>()[i]);
  args.offset.as<double>()[0] = std::abs(args.offset.as<double>()[0]);
}

static Cost cost(const Args& args) {
  double bytes = 0;
  for (const Tensor* t : {&args.x, &args.codes, &args.absmax, &args.scales, &args.offset, &args.y})
    bytes += static_cast<double>(t->bytes());
  if (args.bias.rank > 0) bytes += static_cast<double>(args.bias.bytes());
  return {.flops = 2 * static_cast<double>(args.y.size()) * static_cast<double>(args.k()),
          .bytes = bytes};
}

// As matvec, and the rounding of a block's maximum.
static Tolerance tolerance(const Args& args) {
  return {.out_ulps = 1, .f32_ulps = 4 + std::sqrt(static_cast<double>(args.k())) / 16};
}

static std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](const char* name, std::int64_t rows, std::int64_t n, std::int64_t k,
                       Case c = {}, bool bias = false) {
    const std::int64_t blocks = k / nf4::block;
    c.name = name;
    c.dims = {{"rows", rows},
              {"n", n},
              {"k", k},
              {"blocks", blocks},
              {"groups", nf4::groups_of(n * blocks)}};
    if (!bias) c.without = {"bias"};
    all.push_back(std::move(c));
  };
  add("one block", 1, 1, 64);
  add("no rows", 0, 5, 64);
  add("nothing of k", 2, 33, 0, {}, true);
  add("no outputs", 2, 0, 128);
  add("warp-1", 1, 31, 128);
  add("warp+1", 2, 33, 192);
  add("a warp's stretch", 1, 20, 1024);
  add("that and a block", 3, 21, 1088);
  add("primes", 5, 101, 320);
  add("four rows", 4, 48, 512);
  add("seven rows", 7, 50, 256);
  add("nine rows", 9, 17, 64);
  add("sixteen rows", 16, 65, 448);
  add("seventeen rows", 17, 20, 128);
  add("many groups", 1, 700, 128);
  add("long k", 2, 9, 16448);
  add("many outputs", 1, 3000, 64);
  add("bias", 3, 70, 128, {}, true);
  add("bias, long k", 8, 16, 4096, {}, true);
  add("misaligned", 2, 40, 256, {.offset = 1});
  add("x misaligned", 3, 24, 512, {.offsets = {{"x", 3}}});
  add("wide", 3, 40, 512, {.fill = Fill::wide, .dtypes = {DType::f32, DType::bf16}});
  const std::vector<DType> timed = {DType::bf16};
  for (const std::int64_t rows : {1, 8}) {
    const std::string words = rows == 1 ? "1 row" : "8 rows";
    add((words + " 8192x8192").c_str(), rows, 8192, 8192, {.dtypes = timed, .bench = true});
    add((words + " 4096x14336").c_str(), rows, 4096, 14336, {.dtypes = timed, .bench = true});
    add((words + " 768x768").c_str(), rows, 768, 768, {.dtypes = timed, .bench = true});
  }
  add("16 rows 4096x4096", 16, 4096, 4096, {.dtypes = timed, .bench = true});
  return all;
}

WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost, .tolerance = tolerance,
           .prepare = prepare);

}  // namespace warpath::nf4_matmul
