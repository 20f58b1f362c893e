#include "ops/norm/batch_norm/batch_norm.h"

#include "core/host/registry.h"
#include "ops/norm/group_reference.h"

namespace warpath::batch_norm {

using norm::bytes, norm::GroupGradients, norm::GroupTensors, norm::roundings;

static GroupTensors tensors(const Forward& a) {
  return {a.x, a.weight, a.bias, a.y, a.mean, a.rstd};
}
static GroupGradients tensors(const Backward& a) {
  return {a.x, a.dy, a.mean, a.rstd, a.weight, a.bias, a.dx, a.dweight, a.dbias};
}

static void forward_reference(const Forward& args, const Forward& scale) {
  const double eps = static_cast<float>(args.eps), m = static_cast<float>(args.momentum);
  const GroupShape s = args.shape();
  const double n = static_cast<double>(s.group_size()), part = n > 0 ? m : 0;
  const auto update = [&](std::int64_t c, const norm::GroupMoments& moments) {
    const double variance = moments.squares / std::max(n - 1, 1.0);
    const double old_mean = norm::value_or(args.running_mean, c, 0);
    const double old_var = norm::value_or(args.running_var, c, 1);
    if (args.new_mean.data) {
      args.new_mean.as<double>()[c] = (1 - part) * old_mean + part * moments.mean;
      scale.new_mean.as<double>()[c] = std::abs(old_mean) + part * moments.size;
    }
    if (args.new_var.data) {
      args.new_var.as<double>()[c] = (1 - part) * old_var + part * variance;
      scale.new_var.as<double>()[c] = std::abs(old_var) + 2 * part * variance * moments.slope;
    }
  };
  norm::group_forward(s, tensors(args), tensors(scale), eps, args.activation, update);
}
static void inference_reference(const Inference& args, const Inference& scale) {
  const double eps = static_cast<float>(args.eps);
  const std::int64_t channels = args.x.shape[1], space = args.x.shape[2];
  parallel_for(args.x.shape[0] * channels, 1, [&](std::int64_t plane) {
    const std::int64_t c = plane % channels;
    const double w = norm::value_or(args.weight, c, 1), b = norm::value_or(args.bias, c, 0);
    const double mean = args.running_mean.as<double>()[c];
    const double rstd = 1 / std::sqrt(args.running_var.as<double>()[c] + eps);
    for (std::int64_t i = plane * space; i < (plane + 1) * space; ++i) {
      const double x = args.x.as<double>()[i], z = (x - mean) * rstd * w + b;
      const double error = std::abs(w) * (std::abs(x) + std::abs(mean)) * rstd + std::abs(b);
      args.y.as<double>()[i] = norm::activated(z, args.activation);
      // The exponential of SiLU has a relative error of |z| roundings.
      scale.y.as<double>()[i] = error * (1 + std::min(std::abs(z), 100.0));
    }
  });
}
static void backward_reference(const Backward& args, const Backward& scale) {
  norm::group_backward(args.shape(), tensors(args), tensors(scale), args.activation);
}
static void make_moments(const Backward& args) {
  norm::make_group_moments(args.shape(), tensors(args));
}

static void make_positive(const Tensor& variances) {
  for (std::int64_t i = 0; variances.data && i < variances.size(); ++i)
    variances.as<double>()[i] = std::abs(variances.as<double>()[i]) + 0.125;
}
static void make_variances(const Inference& args) {
  make_positive(args.running_var);
}
// eps of 0.25 marks the case whose channels lie far from zero: mean 10^4, deviation 1.
static void move_away(const Forward& args) {
  make_positive(args.running_var);
  if (args.eps != 0.25) return;
  for (std::int64_t i = 0; i < args.x.size(); ++i) args.x.as<double>()[i] += 1e4;
}

static Tolerance tolerance(const Inference&) {
  return {.out_ulps = 1, .f32_ulps = 8};
}
static Tolerance tolerance(const Forward& args) {
  return {.out_ulps = 1, .f32_ulps = roundings(args.shape().group_size())};
}
static Tolerance tolerance(const Backward& args) {
  return {.out_ulps = 1, .f32_ulps = norm::gradient_ulps(args.shape())};
}

static Cost cost(const Forward& args) {
  return {.flops = norm::forward_flops(args.shape(), args.activation),
          .bytes = bytes({args.x, args.weight, args.bias, args.running_mean, args.running_var,
                          args.y, args.mean, args.rstd, args.new_mean, args.new_var})};
}
static Cost cost(const Inference& args) {
  return {.flops = 4.0 * static_cast<double>(args.x.size()),
          .bytes =
              bytes({args.x, args.running_mean, args.running_var, args.weight, args.bias, args.y})};
}
static Cost cost(const Backward& args) {
  return {.flops = norm::backward_flops(args.shape(), args.activation),
          .bytes = bytes({args.x, args.dy, args.mean, args.rstd, args.weight, args.bias, args.dx,
                          args.dweight, args.dbias})};
}

static Case planes(const char* name, std::int64_t batch, std::int64_t channels, std::int64_t space,
                   Case c = {}) {
  c.name = name;
  c.dims = {{"batch", batch}, {"channels", channels}, {"space", space}};
  return c;
}
static Case columns(const char* name, std::int64_t batch, std::int64_t channels, Case c = {}) {
  return planes(name, batch, channels, 1, c);
}

static std::vector<Case> sizes() {
  const std::map<std::string, Value> silu = {{"activation", "silu"}},
                                     relu = {{"activation", "relu"}};
  return {
      planes("empty", 0, 3, 8),
      planes("one", 1, 1, 1),
      planes("primes", 5, 13, 49, {.scalars = relu}),
      planes("planes", 6, 7, 256, {.scalars = silu}),
      planes("several blocks", 5, 3, 2312, {.scalars = relu}),
      planes("short planes", 30, 5, 8),
      planes("misaligned", 2, 3, 1024, {.offset = 1}),
      columns("columns", 37, 40, {.scalars = silu}),
      columns("odd columns", 300, 7, {.scalars = relu}),
      columns("many columns", 9, 520),
      columns("misaligned columns", 40, 16, {.offset = 1}),
      planes("wide", 2, 3, 200, {.fill = Fill::wide}),
  };
}

static void add_timed(std::vector<Case>& all) {
  const std::vector<DType> types = {DType::f32, DType::bf16};
  const Case bench = {.dtypes = types, .bench = true};
  all.push_back(planes("32x256x56x56", 32, 256, 3136, bench));
  all.push_back(planes("32x256x56x56 relu", 32, 256, 3136,
                       {.scalars = {{"activation", "relu"}}, .dtypes = types, .bench = true}));
  all.push_back(columns("32x56x56x256", 32 * 3136, 256, bench));
  all.push_back(planes("64x64x112x112", 64, 64, 12544, bench));
  all.push_back(planes("32x512x27x27", 32, 512, 729, bench));
}

static std::vector<Case> forward_cases() {
  std::vector<Case> all = sizes();
  const Case far = {.scalars = {{"eps", 0.25}}, .dtypes = {DType::f32}};
  all.push_back(planes("far from zero", 3, 3, 1024, far));
  all.push_back(columns("columns far from zero", 301, 6, far));
  all.push_back(planes("large eps", 2, 5, 40, {.scalars = {{"eps", 10}}, .without = {"rstd"}}));
  all.push_back(planes("no weight", 3, 5, 16, {.without = {"weight", "mean", "new_var"}}));
  all.push_back(
      planes("neither", 2, 2, 33, {.without = {"weight", "bias", "new_mean", "new_var"}}));
  all.push_back(planes("momentum", 3, 5, 24,
                       {.scalars = {{"momentum", 0.75}}, .in_place = {"new_mean", "new_var"}}));
  all.push_back(columns("first batch", 50, 24, {.without = {"running_mean", "running_var"}}));
  // What a mean is beside an infinity depends on the order of additions: inf or NaN.
  all.push_back(planes("special", 3, 40, 48,
                       {.fill = Fill::special, .without = {"mean", "new_mean", "new_var"}}));
  add_timed(all);
  return all;
}

static std::vector<Case> backward_cases() {
  std::vector<Case> all = sizes();
  all.push_back(planes("no weight", 2, 5, 16, {.without = {"weight", "dbias"}}));
  all.push_back(planes("dx alone", 2, 2, 33, {.without = {"bias", "dweight", "dbias"}}));
  all.push_back(columns("no dweight", 33, 6, {.without = {"dweight"}}));
  add_timed(all);
  return all;
}

static std::vector<Case> inference_cases() {
  std::vector<Case> all = sizes();
  all.push_back(planes("no weight", 3, 5, 16, {.without = {"weight"}}));
  all.push_back(columns("no bias", 33, 24, {.without = {"bias"}}));
  all.push_back(planes("special", 3, 40, 48, {.fill = Fill::special}));
  add_timed(all);
  return all;
}

WARPATH_OP(Forward, .reference = forward_reference, .cases = forward_cases, .cost = cost,
           .tolerance = tolerance, .prepare = move_away);
WARPATH_OP(Backward, .reference = backward_reference, .cases = backward_cases, .cost = cost,
           .tolerance = tolerance, .prepare = make_moments);
WARPATH_OP(Inference, .reference = inference_reference, .cases = inference_cases, .cost = cost,
           .tolerance = tolerance, .prepare = make_variances);

}  // namespace warpath::batch_norm
