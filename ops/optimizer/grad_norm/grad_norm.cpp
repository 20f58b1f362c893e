#include "ops/optimizer/grad_norm/grad_norm.h"

#include <cmath>

#include "core/host/registry.h"
#include "ops/optimizer/gpt2.h"

namespace warpath::grad_norm {

static void reference(const Args& args, const Args&) {
  double sum = 0;
  for (const Tensor& g : args.g)
    for (std::int64_t i = 0; i < g.size(); ++i) sum += g.as<double>()[i] * g.as<double>()[i];
  const double norm = std::sqrt(sum), factor = args.max_norm / (norm + 1e-6);
  args.norm.as<double>()[0] = norm;
  args.factor.as<double>()[0] = factor < 1 || std::isnan(factor) ? factor : 1;
}

// All terms are positive: a chain of n additions errs by up to about sqrt(n) roundings, the root halves that.
static Tolerance tolerance(const Args& args) {
  return {.out_ulps = 2, .f32_ulps = 2 + std::sqrt(static_cast<double>(args.g.size()))};
}

static Cost cost(const Args& args) {
  return {.flops = 2.0 * static_cast<double>(args.g.size()),
          .bytes = static_cast<double>(args.g.bytes())};
}

static std::vector<Case> cases() {
  const auto sized = [](const char* name, std::vector<std::int64_t> sizes, Case c = {}) {
    c.name = name;
    c.lists = {{"tensors", std::move(sizes)}};
    return c;
  };
  std::vector<std::int64_t> many(330);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<std::int64_t>(i * 7 % 23);
  std::vector<Case> all = {
      sized("none", {}, {.dtypes = {DType::f32}}),
      sized("empty ones", {0, 0}),
      sized("one", {1}, {.scalars = {{"max_norm", 0.01}}}),
      sized("several", {1, 17, 4096, 0, 509}),
      sized("chunk and one", {8191, 8192, 8193, 1}, {.scalars = {{"max_norm", 3}}}),
      sized("many", many, {.scalars = {{"max_norm", 1000}}}),
      sized("misaligned", {2100, 64, 9000}, {.offset = 1}),
      sized("half-aligned", {2100, 64}, {.offset = 2}),
      sized("not clipped", {5, 6}, {.scalars = {{"max_norm", 1e6}}}),
      sized("wide", {700, 900}, {.fill = Fill::wide}),
      sized("special", {1000, 900}, {.fill = Fill::special}),
  };
  all.push_back(sized("GPT-2", optimizer::gpt2_sizes(),
                      {.dtypes = {DType::f32, DType::bf16}, .bench = true}));
  return all;
}

WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost, .tolerance = tolerance);

}  // namespace warpath::grad_norm
