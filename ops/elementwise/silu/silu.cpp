#include "ops/elementwise/silu/silu.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/host/parallel.h"
#include "core/host/registry.h"

namespace warpath::silu {

static double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

// The argument of exp is rounded, which becomes a relative error of |x| roundings. A sigmoid below the
// smallest normal float may be taken as zero.
static void forward_reference(const Forward& args, const Forward& scale) {
  constexpr double least = 0x1p23 / 4 * std::numeric_limits<float>::min();
  const double* x = args.x.as<double>();
  double *y = args.y.as<double>(), *s = scale.y.as<double>();
  parallel_for(args.x.size(), 1 << 16, [=](std::int64_t i) {
    y[i] = x[i] * sigmoid(x[i]);
    s[i] = std::max(std::abs(y[i]) * (1 + std::min(std::abs(x[i]), 100.0)), std::abs(x[i]) * least);
  });
}

// 1 - s has an error of one rounding of 1, which x multiplies; s rounds to 1 where x is over 17.
static void backward_reference(const Backward& args, const Backward& scale) {
  const double *x = args.x.as<double>(), *dy = args.dy.as<double>();
  double *dx = args.dx.as<double>(), *error = scale.dx.as<double>();
  parallel_for(args.x.size(), 1 << 16, [=](std::int64_t i) {
    const double s = sigmoid(x[i]);
    dx[i] = dy[i] * (s * (1 + x[i] * (1 - s)));
    error[i] = std::abs(dy[i]) * (1 + std::min(std::abs(x[i]), 17.0));
  });
}

// Four roundings in float: the argument, exp, the quotient, the product.
template <class Args>
static Tolerance tolerance(const Args&) {
  return {.out_ulps = 1, .f32_ulps = 4};
}

// Operations per element: negate, exp (counted as one), add, divide, multiply; backward: two
// subtractions or additions and three products more.
static Cost cost(const Forward& args) {
  return {.flops = 5.0 * static_cast<double>(args.x.size()),
          .bytes = 2.0 * static_cast<double>(args.x.bytes())};
}
static Cost cost(const Backward& args) {
  return {.flops = 9.0 * static_cast<double>(args.x.size()),
          .bytes = 3.0 * static_cast<double>(args.x.bytes())};
}

// A block of the vector rungs computes 512 elements in f32, 2048 in 16 bits.
static std::vector<Case> sizes(const char* input, const char* output) {
  return {
      {.name = "empty", .dims = {{"n", 0}}},
      {.name = "one", .dims = {{"n", 1}}},
      {.name = "block-1", .dims = {{"n", 511}}},
      {.name = "block+1", .dims = {{"n", 2049}}},
      {.name = "misaligned", .dims = {{"n", 4099}}, .offset = 1},
      {.name = "misaligned differently", .dims = {{"n", 4099}}, .offsets = {{input, 1}}},
      {.name = "in place", .dims = {{"n", 5003}}, .in_place = {output}, .offset = 2},
      {.name = "wide", .dims = {{"n", 5000}}, .fill = Fill::wide},
      {.name = "low", .dims = {{"n", 1000}}, .fill = Fill::low},
      {.name = "ramp", .dims = {{"n", 8000}}, .fill = Fill::ramp},
      {.name = "special", .dims = {{"n", 5000}}, .fill = Fill::special},
      {.name = "extreme", .dims = {{"n", 3000}}, .fill = Fill::extreme},
      {.name = "64Mi", .dims = {{"n", 64 << 20}}, .bench = true},
      {.name = "64Mi in place",
       .dims = {{"n", 64 << 20}},
       .in_place = {output},
       .dtypes = {DType::bf16},
       .bench = true},
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

}  // namespace warpath::silu
