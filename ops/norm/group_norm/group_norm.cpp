#include "ops/norm/group_norm/group_norm.h"

#include "core/host/registry.h"
#include "ops/norm/group_reference.h"

namespace warpath::group_norm {

using norm::bytes, norm::GroupGradients, norm::GroupTensors, norm::roundings;

static GroupTensors tensors(const Forward& a) {
  return {a.x, a.weight, a.bias, a.y, a.mean, a.rstd};
}
static GroupGradients tensors(const Backward& a) {
  return {a.x, a.dy, a.mean, a.rstd, a.weight, a.bias, a.dx, a.dweight, a.dbias};
}

static void forward_reference(const Forward& args, const Forward& scale) {
  const double eps = static_cast<float>(args.eps);  // kernels get it as a float
  norm::group_forward(args.shape(), tensors(args), tensors(scale), eps, args.activation,
                      [](std::int64_t, const norm::GroupMoments&) {});
}
static void backward_reference(const Backward& args, const Backward& scale) {
  norm::group_backward(args.shape(), tensors(args), tensors(scale), args.activation);
}
static void make_moments(const Backward& args) {
  norm::make_group_moments(args.shape(), tensors(args));
}

// eps of 0.25 marks the case whose groups lie far from zero: mean 10^4, deviation 1.
static void move_away(const Forward& args) {
  if (args.eps != 0.25) return;
  for (std::int64_t i = 0; i < args.x.size(); ++i) args.x.as<double>()[i] += 1e4;
}

static Tolerance tolerance(const Forward& args) {
  return {.out_ulps = 1, .f32_ulps = roundings(args.shape().group_size())};
}
static Tolerance tolerance(const Backward& args) {
  return {.out_ulps = 1, .f32_ulps = norm::gradient_ulps(args.shape())};
}

static Cost cost(const Forward& args) {
  return {.flops = norm::forward_flops(args.shape(), args.activation),
          .bytes = bytes({args.x, args.weight, args.bias, args.y, args.mean, args.rstd})};
}
static Cost cost(const Backward& args) {
  return {.flops = norm::backward_flops(args.shape(), args.activation),
          .bytes = bytes({args.x, args.dy, args.mean, args.rstd, args.weight, args.bias, args.dx,
                          args.dweight, args.dbias})};
}

static Case planes(const char* name, std::int64_t batch, std::int64_t groups, std::int64_t channels,
                   std::int64_t inner, Case c = {}) {
  c.name = name;
  c.dims = {
      {"batch", batch}, {"outer", 1}, {"groups", groups}, {"channels", channels}, {"inner", inner}};
  return c;
}
static Case columns(const char* name, std::int64_t batch, std::int64_t outer, std::int64_t groups,
                    std::int64_t channels, Case c = {}) {
  c.name = name;
  c.dims = {
      {"batch", batch}, {"outer", outer}, {"groups", groups}, {"channels", channels}, {"inner", 1}};
  return c;
}

static std::vector<Case> sizes() {
  const std::map<std::string, Value> silu = {{"activation", "silu"}},
                                     relu = {{"activation", "relu"}};
  return {
      planes("empty", 0, 2, 3, 8),
      planes("no channels", 2, 3, 0, 16),
      planes("one", 1, 1, 1, 1),
      planes("primes", 2, 3, 5, 49, {.scalars = relu}),
      planes("planes", 2, 3, 5, 64, {.scalars = silu}),
      planes("several blocks", 1, 2, 3, 4104, {.scalars = silu}),
      planes("short planes", 3, 2, 40, 8),
      planes("a ring of groups", 30, 30, 2, 8, {.scalars = relu}),
      planes("misaligned", 1, 2, 3, 1024, {.offset = 1}),
      columns("columns", 2, 37, 4, 10, {.scalars = silu}),
      columns("odd columns", 2, 300, 3, 7, {.scalars = relu}),
      columns("many columns", 1, 9, 5, 110),
      columns("misaligned columns", 1, 40, 4, 8, {.offset = 1}),
      {.name = "both",
       .dims = {{"batch", 2}, {"outer", 3}, {"groups", 2}, {"channels", 5}, {"inner", 24}},
       .scalars = silu},
      planes("wide", 2, 2, 3, 200, {.fill = Fill::wide}),
  };
}

static void add_timed(std::vector<Case>& all) {
  const std::vector<DType> types = {DType::f32, DType::bf16};
  const std::map<std::string, Value> silu = {{"activation", "silu"}};
  const Case bench = {.dtypes = types, .bench = true},
             fused = {.scalars = silu, .dtypes = types, .bench = true};
  all.push_back(planes("16x320x64x64 silu", 16, 32, 10, 4096, fused));
  all.push_back(columns("16x64x64x320 silu", 16, 4096, 32, 10, fused));
  all.push_back(planes("8x128x256x256", 8, 32, 4, 65536, bench));
  all.push_back(planes("16x1280x16x16 silu", 16, 32, 40, 256, fused));
  all.push_back(planes("16x96x55x55", 16, 3, 32, 3025, bench));
}

static std::vector<Case> forward_cases() {
  std::vector<Case> all = sizes();
  all.push_back(planes("no space", 2, 3, 5, 0, {.without = {"mean", "rstd"}}));
  const Case far = {.scalars = {{"eps", 0.25}}, .dtypes = {DType::f32}};
  all.push_back(planes("far from zero", 2, 2, 4, 304, far));
  all.push_back(columns("columns far from zero", 1, 301, 2, 6, far));
  all.push_back(planes("large eps", 2, 3, 5, 40, {.scalars = {{"eps", 10}}, .without = {"rstd"}}));
  all.push_back(planes("no weight", 2, 3, 5, 16, {.without = {"weight", "mean"}}));
  all.push_back(planes("neither", 2, 2, 2, 33, {.without = {"weight", "bias"}}));
  // What a mean is beside an infinity depends on the order of additions: inf or NaN.
  all.push_back(planes("special", 9, 8, 2, 24, {.fill = Fill::special, .without = {"mean"}}));
  const std::size_t small = all.size();
  add_timed(all);
  for (std::size_t i = small; i < all.size(); ++i) all[i].without = {"mean", "rstd"};  // inference
  return all;
}

static std::vector<Case> backward_cases() {
  std::vector<Case> all = sizes();
  all.push_back(planes("no space", 2, 3, 5, 0));
  all.push_back(planes("no weight", 2, 3, 5, 16, {.without = {"weight", "dbias"}}));
  all.push_back(planes("dx alone", 2, 2, 2, 33, {.without = {"bias", "dweight", "dbias"}}));
  all.push_back(columns("no dweight", 3, 33, 3, 6, {.without = {"dweight"}}));
  add_timed(all);
  return all;
}

WARPATH_OP(Forward, .reference = forward_reference, .cases = forward_cases, .cost = cost,
           .tolerance = tolerance, .prepare = move_away);
WARPATH_OP(Backward, .reference = backward_reference, .cases = backward_cases, .cost = cost,
           .tolerance = tolerance, .prepare = make_moments);

}  // namespace warpath::group_norm
