#include "ops/elementwise/dropout/dropout.h"

#include <cmath>

#include "core/host/parallel.h"
#include "core/host/registry.h"
#include "core/thread/philox.cuh"

namespace warpath::dropout {

template <class Args>
static bool keep(const Args& args, std::int64_t i) {
  const PhiloxWords counter =
      philox_counter(static_cast<std::uint64_t>(i / 4), static_cast<std::uint64_t>(args.offset));
  const std::uint32_t word = philox(counter, static_cast<std::uint64_t>(args.seed)).at[i % 4];
  return static_cast<double>(word) >= std::floor(args.p * 0x1p32);
}

// Kernels get the factor as a float.
static double factor(double p) {
  return static_cast<float>(1 / (1 - p));
}

static void forward_reference(const Forward& args, const Forward& scale) {
  const double *x = args.x.as<double>(), *residual = args.residual.as<double>();
  double *y = args.y.as<double>(), *s = scale.y.as<double>();
  const double by = factor(args.p);
  parallel_for(args.x.size(), 1 << 16, [=, &args](std::int64_t i) {
    const double dropped = keep(args, i) ? x[i] * by : 0;
    y[i] = residual ? residual[i] + dropped : dropped;
    s[i] = std::abs(dropped) + (residual ? std::abs(residual[i]) : 0);
  });
}

static void backward_reference(const Backward& args, const Backward&) {
  const double* dy = args.dy.as<double>();
  double* dx = args.dx.as<double>();
  const double by = factor(args.p);
  parallel_for(args.dy.size(), 1 << 16,
               [=, &args](std::int64_t i) { dx[i] = keep(args, i) ? dy[i] * by : 0; });
}

// The product is rounded to float before the residual is added, unless the compiler makes an FMA of
// the two: half an ulp of the product. Without a residual there is only the last rounding.
static Tolerance forward_tolerance(const Forward& args) {
  return {.out_ulps = 1, .f32_ulps = args.residual.rank > 0 ? 0.5 : 0};
}

// A multiplication per element and an addition with a residual. The 20 multiplications and 60 other
// integer operations of a Philox call are the price of this way to make a mask, not of dropout.
static Cost cost(const Forward& args) {
  const double tensors = args.residual.rank > 0 ? 3 : 2, n = static_cast<double>(args.x.size());
  return {.flops = n * (tensors - 1), .bytes = tensors * static_cast<double>(args.x.bytes())};
}
static Cost cost(const Backward& args) {
  return {.flops = static_cast<double>(args.dy.size()),
          .bytes = 2.0 * static_cast<double>(args.dy.bytes())};
}

static std::vector<Case> sizes() {
  const auto sized = [](const char* name, std::int64_t n, Case c = {}) {
    c.name = name;
    c.dims = {{"n", n}};
    if (c.scalars.empty()) c.scalars = {{"p", 0.125}, {"seed", 1234}, {"offset", 5}};
    return c;
  };
  // Most p are exact in float, as ONNX hands them over; 0.1 is not.
  // Seeds and offsets of which all 64 bits count: a number above 2^53 here has zeros at its end.
  const std::int64_t high = std::int64_t{0x0123456789abcdef} & ~std::int64_t{0xfff};
  std::vector<Case> all = {
      sized("empty", 0),
      sized("one", 1),
      sized("group+1", 5),
      sized("block+1", 1025),
      sized("prime", 10007, {.scalars = {{"p", 0.1}, {"seed", 7}}}),
      sized("misaligned", 4099, {.offset = 1}),
      sized("half-aligned", 2050, {.offset = 2}),
      sized("nothing dropped", 1003, {.scalars = {{"p", 0}, {"seed", 3}}}),
      sized("all dropped", 1003, {.fill = Fill::special, .scalars = {{"p", 1}, {"seed", 3}}}),
      sized("negative seed", 2000, {.scalars = {{"p", 0.875}, {"seed", -1}, {"offset", -1}}}),
      sized("high seed", 2000, {.scalars = {{"seed", high}, {"offset", 1}}}),
      sized("high offset", 2000, {.scalars = {{"seed", 1}, {"offset", high}}}),
      sized("special", 5000, {.fill = Fill::special}),
  };
  all.push_back(sized("64Mi", 64 << 20, {.bench = true}));
  return all;
}

static std::vector<Case> backward_cases() {
  std::vector<Case> all = sizes();
  all.push_back(
      {.name = "in place", .dims = {{"n", 3001}}, .scalars = {{"seed", 8}}, .in_place = {"dx"}});
  return all;
}

// The residual is left out where the case's name does not say that it is there.
static std::vector<Case> forward_cases() {
  std::vector<Case> all = sizes();
  for (Case& c : all) c.without = {"residual"};
  const auto with = [&](const char* name, std::int64_t n, Case c = {}) {
    c.name = name;
    c.dims = {{"n", n}};
    c.scalars = {{"p", 0.25}, {"seed", 99}};
    all.push_back(c);
  };
  with("residual", 2003);
  with("residual in place", 3001, {.in_place = {"y"}});
  with("residual misaligned", 1031, {.offset = 1});
  with("residual special", 2000, {.fill = Fill::special});
  with("residual 64Mi", 64 << 20, {.dtypes = {DType::f32, DType::bf16}, .bench = true});
  return all;
}

WARPATH_OP(Forward, .reference = forward_reference, .cases = forward_cases, .cost = cost,
           .tolerance = forward_tolerance);
WARPATH_OP(Backward, .reference = backward_reference, .cases = backward_cases, .cost = cost);

}  // namespace warpath::dropout
