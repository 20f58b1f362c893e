#include "ops/optimizer/adamw/adamw.h"

#include <cmath>

#include "core/host/parallel.h"
#include "core/host/registry.h"
#include "ops/optimizer/gpt2.h"

namespace warpath::adamw {

// Cancellation in m shows in the step too: errors are measured against the magnitudes that were added.
static void reference(const Args& args, const Args& scale) {
  const double* const given = args.lr_step.rank ? args.lr_step.as<double>() : nullptr;
  const double lr = given ? given[0] : args.lr;
  const double step = given ? given[1] : static_cast<double>(args.step);
  const auto power = [&](double beta) { return 1 - std::pow(beta, step); };
  const double size = lr / power(args.beta1), root = std::sqrt(power(args.beta2));
  const double grad_scale = args.grad_scale.rank ? args.grad_scale.as<double>()[0] : 1;
  for (std::int64_t t = 0; t < args.p.count; ++t) {
    const auto at = [t](const TensorList& list) {
      return list.at ? list[t].as<double>() : nullptr;
    };
    double *p = at(args.p), *g = at(args.g), *m = at(args.m), *v = at(args.v);
    double *master = at(args.master), *p_scale = at(scale.p), *m_scale = at(scale.m);
    double* const master_scale = at(scale.master);
    const double factor = args.decay.rank ? args.decay.as<double>()[t] : 1;
    const double keep = 1 - lr * args.weight_decay * factor;
    parallel_for(args.p[t].size(), 1 << 14, [&](std::int64_t i) {
      const double grad = g[i] * grad_scale;
      const double old = args.beta1 * m[i], add = (1 - args.beta1) * grad;
      m[i] = old + add;
      m_scale[i] = std::abs(old) + std::abs(add);
      v[i] = args.beta2 * v[i] + (1 - args.beta2) * grad * grad;
      const double denominator = std::sqrt(v[i]) / root + args.eps;
      const double before = keep * (master ? master[i] : p[i]);
      p[i] = before - size * m[i] / denominator;
      p_scale[i] = std::abs(before) + std::abs(size) * m_scale[i] / denominator;
      if (!master) return;
      master[i] = p[i];
      master_scale[i] = p_scale[i];
    });
  }
}

// A second moment is not negative, a learning rate is small, and steps are whole numbers from 1 on.
static void prepare(const Args& args) {
  for (const Tensor& v : args.v)
    for (std::int64_t i = 0; i < v.size(); ++i) v.as<double>()[i] = std::abs(v.as<double>()[i]);
  if (!args.lr_step.rank) return;
  double* const given = args.lr_step.as<double>();
  given[0] = 0.01 * (1 + std::abs(given[0]));
  given[1] = 2 + std::floor(10 * std::abs(given[1]));
}

// A dozen roundings lead to a weight: the constants, two moments, a root, a quotient and a sum. Twice two of them per
// moment are those of a long chain.
static Tolerance tolerance(const Args&) {
  return {.out_ulps = 1, .f32_ulps = 8};
}

static Cost cost(const Args& args) {
  const double weights = static_cast<double>(args.p.bytes());
  const double moments = static_cast<double>(args.m.bytes() + args.v.bytes());
  const double master = static_cast<double>(args.master.bytes());
  // p is not read where there are master weights.
  const double bytes = static_cast<double>(args.g.bytes()) + 2 * moments + 2 * master +
                       (args.master.at ? 1 : 2) * weights;
  return {.flops = 14.0 * static_cast<double>(args.p.size()), .bytes = bytes};
}

static std::vector<Case> cases() {
  const auto sized = [](const char* name, std::vector<std::int64_t> sizes, Case c = {}) {
    c.name = name;
    c.lists = {{"tensors", std::move(sizes)}};
    return c;
  };
  const std::vector<std::string> plain = {"master", "decay", "grad_scale", "lr_step"};
  std::vector<std::int64_t> many(150);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<std::int64_t>(i * 7 % 23);
  std::vector<Case> all = {
      sized("none", {}, {.without = plain}),
      sized("one", {1}, {.without = plain}),
      sized("empty ones", {0, 3, 0, 0, 5, 0}),
      sized("several", {1, 17, 4096, 0, 509}),
      sized("chunk and one", {2047, 2048, 2049, 1}, {.scalars = {{"step", 100}}, .without = plain}),
      sized("many", many, {.scalars = {{"weight_decay", 0.3}}}),
      sized("no master", {100, 2500}, {.scalars = {{"step", 3}}, .without = {"master", "lr_step"}}),
      sized("no decay", {100, 1500}, {.scalars = {{"weight_decay", 0}}, .without = {"decay"}}),
      sized("large rate", {700}, {.scalars = {{"lr", 0.5}, {"eps", 0.1}}, .without = {"lr_step"}}),
      sized("other betas", {333, 4},
            {.scalars = {{"beta1", 0.5}, {"beta2", 0.9}, {"step", 7}}, .without = {"lr_step"}}),
      sized("rate in memory", {100, 2500},
            {.scalars = {{"weight_decay", 0.3}}, .without = {"master", "decay", "grad_scale"}}),
      sized("betas of zero", {100, 2500},
            {.scalars = {{"beta1", 0}, {"beta2", 0}}, .without = {"master", "decay"}}),
      sized("misaligned", {2100, 64}, {.offset = 1}),
      sized("half-aligned", {2100, 64}, {.without = plain, .offset = 2}),
      sized("ties", {900, 33}, {.fill = Fill::ties, .without = {"master"}}),
      sized("special", {1000, 1000}, {.fill = Fill::special, .without = plain}),
  };
  // A float holds these betas, and 1 minus each, exactly. PyTorch's fused kernel subtracts a beta2 that it has rounded to float:
  // for 0.999 its 1 - beta2 is off by 1.29e-5 of itself, and v fails the check. Without a pass there is no time.
  const std::map<std::string, Value> exact = {{"beta1", 29.0 / 32}, {"beta2", 1 - 0x1p-10}};
  all.push_back(sized("exact betas", {1000, 77}, {.scalars = exact, .without = plain}));
  all.push_back(sized("GPT-2", optimizer::gpt2_sizes(),
                      {.scalars = exact, .without = plain, .dtypes = {DType::f32}, .bench = true}));
  all.push_back(
      sized("GPT-2 with masters", optimizer::gpt2_sizes(),
            {.scalars = exact, .without = {"decay"}, .dtypes = {DType::bf16}, .bench = true}));
  return all;
}

WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost, .tolerance = tolerance,
           .prepare = prepare);

}  // namespace warpath::adamw
