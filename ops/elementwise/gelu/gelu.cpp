#include "ops/elementwise/gelu/gelu.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/host/parallel.h"
#include "core/host/registry.h"

namespace warpath::gelu {

constexpr double cubic = 0.044715;
const double root = std::sqrt(2 / std::numbers::pi);

// P(x) and P'(x).
struct Share {
  double value, slope;
};
static Share share(double x, Approximate approximate) {
  if (approximate == Approximate::none)
    return {std::erfc(-x / std::numbers::sqrt2) / 2, root / 2 * std::exp(-x * x / 2)};
  const double t = std::tanh(root * (x + cubic * x * x * x));
  return {(1 + t) / 2, (1 - t * t) / 2 * root * (1 + 3 * cubic * x * x)};
}

// P may be computed as 1 + erf or 1 + tanh in float: its error is that of a sum of about 1.
static void forward_reference(const Forward& args, const Forward& scale) {
  const double* x = args.x.as<double>();
  double *y = args.y.as<double>(), *error = scale.y.as<double>();
  parallel_for(args.x.size(), 1 << 16, [&, x, y, error](std::int64_t i) {
    y[i] = x[i] * share(x[i], args.approximate).value;
    error[i] = std::abs(x[i]);
  });
}

// By tanh, 1 - t * t has the error of a sum of about 1, which x and the slope of its argument multiply; t
// rounds to 1 where x is over 6.
static void backward_reference(const Backward& args, const Backward& scale) {
  const double *x = args.x.as<double>(), *dy = args.dy.as<double>();
  double *dx = args.dx.as<double>(), *error = scale.dx.as<double>();
  parallel_for(args.x.size(), 1 << 16, [&, x, dy, dx, error](std::int64_t i) {
    const Share p = share(x[i], args.approximate);
    dx[i] = dy[i] * (p.value + x[i] * p.slope);
    const double near = std::min(std::abs(x[i]), 6.0);
    const double slope = root * (1 + 3 * cubic * near * near);
    error[i] =
        std::abs(dy[i]) * (args.approximate == Approximate::tanh ? 1 + 2 * near * slope : 1.0);
  });
}

// A few roundings in float: erff alone may be 2 ulp off.
template <class Args>
static Tolerance tolerance(const Args&) {
  return {.out_ulps = 1, .f32_ulps = 4};
}

// erf, tanh and exp count as one operation.
static Cost cost(const Forward& args) {
  const double each = args.approximate == Approximate::tanh ? 8 : 5;
  return {.flops = each * static_cast<double>(args.x.size()),
          .bytes = 2.0 * static_cast<double>(args.x.bytes())};
}
static Cost cost(const Backward& args) {
  const double each = args.approximate == Approximate::tanh ? 16 : 11;
  return {.flops = each * static_cast<double>(args.x.size()),
          .bytes = 3.0 * static_cast<double>(args.x.bytes())};
}

// A block of the vector rungs computes 512 elements in f32, 2048 in 16 bits.
static std::vector<Case> sizes(const char* input, const char* output) {
  const std::map<std::string, Value> tanh = {{"approximate", "tanh"}};
  return {
      {.name = "empty", .dims = {{"n", 0}}},
      {.name = "one", .dims = {{"n", 1}}},
      {.name = "block-1", .dims = {{"n", 511}}},
      {.name = "block+1 tanh", .dims = {{"n", 2049}}, .scalars = tanh},
      {.name = "misaligned", .dims = {{"n", 4099}}, .offset = 1},
      {.name = "misaligned differently", .dims = {{"n", 4099}}, .offsets = {{input, 1}}},
      {.name = "misaligned tanh", .dims = {{"n", 3001}}, .scalars = tanh, .offsets = {{input, 2}}},
      {.name = "in place", .dims = {{"n", 5003}}, .in_place = {output}, .offset = 2},
      {.name = "ramp", .dims = {{"n", 8000}}, .fill = Fill::ramp},
      {.name = "ramp tanh", .dims = {{"n", 8000}}, .fill = Fill::ramp, .scalars = tanh},
      {.name = "wide", .dims = {{"n", 5000}}, .fill = Fill::wide},
      {.name = "special", .dims = {{"n", 5000}}, .fill = Fill::special},
      {.name = "special tanh", .dims = {{"n", 5000}}, .fill = Fill::special, .scalars = tanh},
      {.name = "extreme", .dims = {{"n", 3000}}, .fill = Fill::extreme},
      {.name = "extreme tanh", .dims = {{"n", 3000}}, .fill = Fill::extreme, .scalars = tanh},
      {.name = "64Mi", .dims = {{"n", 64 << 20}}, .bench = true},
      {.name = "64Mi tanh", .dims = {{"n", 64 << 20}}, .scalars = tanh, .bench = true},
      {.name = "64Mi+5 misaligned",
       .dims = {{"n", (64 << 20) + 5}},
       .dtypes = {DType::bf16},
       .offset = 1,
       .bench = true},
  };
}
static std::vector<Case> forward_cases() {
  return sizes("x", "y");
}
static std::vector<Case> backward_cases() {
  return sizes("dy", "dx");
}

WARPATH_OP(Forward, .reference = forward_reference, .cases = forward_cases, .cost = cost,
           .tolerance = tolerance<Forward>);
WARPATH_OP(Backward, .reference = backward_reference, .cases = backward_cases, .cost = cost,
           .tolerance = tolerance<Backward>);

}  // namespace warpath::gelu
