#include "ops/norm/layer_norm/layer_norm.h"

#include <cmath>

#include "core/host/parallel.h"
#include "core/host/registry.h"
#include "ops/norm/reference.h"

namespace warpath::layer_norm {

using norm::add_timed, norm::bytes, norm::roundings, norm::sized, norm::sizes;

static void forward_reference(const Forward& args, const Forward& scale) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  const double eps = static_cast<float>(args.eps);  // kernels get it as a float
  parallel_for(rows, 1, [&](std::int64_t r) {
    const double* x = args.x.as<double>() + r * cols;
    const norm::Moments m = norm::moments(x, cols, eps);
    const norm::MomentsError e = norm::moments_error(x, cols, m);
    for (std::int64_t c = 0; c < cols; ++c) {
      const double n = (x[c] - m.mean) * m.rstd;
      const double w = args.weight.data ? args.weight.as<double>()[c] : 1;
      const double b = args.bias.data ? args.bias.as<double>()[c] : 0;
      args.y.as<double>()[r * cols + c] = n * w + b;
      scale.y.as<double>()[r * cols + c] =
          std::abs(w) * (std::abs(n) * e.slope + e.size * m.rstd) + std::abs(b);
    }
    norm::put_moments(args, scale, r, m, e);
  });
}

static void backward_reference(const Backward& args, const Backward& scale) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  const auto normal = [&](std::int64_t r, std::int64_t c) {
    return (args.x.as<double>()[r * cols + c] - args.mean.as<double>()[r]) *
           args.rstd.as<double>()[r];
  };
  const auto slope = [&](std::int64_t r, std::int64_t c) {
    return args.dy.as<double>()[r * cols + c] *
           (args.weight.data ? args.weight.as<double>()[c] : 1);
  };
  const auto slope_size = [&](std::int64_t r, std::int64_t c) { return std::abs(slope(r, c)); };
  parallel_for(rows, 1, [&](std::int64_t r) {
    norm::gradient_of_row(r, cols, args.rstd.as<double>()[r], slope, slope_size, normal, args.dx,
                          scale.dx);
  });
  norm::parameter_sums(args.dy, normal, args.dweight, scale.dweight, args.dbias, scale.dbias);
}

static void make_moments(const Backward& args) {
  norm::make_moments(args, args.x.shape[1], 1e-5);
}

static Tolerance tolerance(const Forward& args) {
  return {.out_ulps = 1, .f32_ulps = roundings(args.x.shape[1])};
}
static Tolerance tolerance(const Backward& args) {
  return {.out_ulps = 1, .f32_ulps = roundings(std::max(args.x.shape[0], args.x.shape[1]))};
}

// Operations per element: add up, subtract, square and add, scale, weight, bias; backward: normalise (2), weight,
// two sums (3), dx (4), two sums over the rows (3).
static Cost cost(const Forward& args) {
  return {.flops = 7.0 * static_cast<double>(args.x.size()),
          .bytes = bytes({args.x, args.weight, args.bias, args.y, args.mean, args.rstd})};
}
static Cost cost(const Backward& args) {
  return {.flops = 13.0 * static_cast<double>(args.x.size()),
          .bytes = bytes({args.x, args.dy, args.mean, args.rstd, args.weight, args.dx, args.dweight,
                          args.dbias})};
}

static std::vector<Case> forward_cases() {
  std::vector<Case> all = sizes();
  all.push_back(sized("no columns", 3, 0, {.without = {"mean", "rstd"}}));
  all.push_back(sized("33k", 1, 33000, {.without = {"bias"}, .dtypes = {DType::f16, DType::bf16}}));
  all.push_back(sized("longer than registers", 1, 70000));
  all.push_back(
      sized("far from zero", 5, 1000, {.scalars = {{"eps", 0.25}}, .dtypes = {DType::f32}}));
  all.push_back(
      sized("far from zero, long", 1, 40000, {.scalars = {{"eps", 0.25}}, .dtypes = {DType::f32}}));
  all.push_back(sized("large eps", 5, 100, {.scalars = {{"eps", 10}}, .without = {"rstd"}}));
  all.push_back(sized("no weight", 5, 304, {.without = {"weight", "mean"}}));
  all.push_back(sized("no bias", 5, 300, {.without = {"bias", "mean", "rstd"}}));
  all.push_back(sized("neither", 5, 72, {.without = {"weight", "bias"}}));
  // What a mean is beside an infinity depends on the order of additions: inf or NaN.
  all.push_back(sized("special", 90, 60, {.fill = Fill::special, .without = {"mean"}}));
  all.push_back(sized("special long", 9, 1500, {.fill = Fill::special, .without = {"mean"}}));
  add_timed(all, 32768);
  return all;
}

static std::vector<Case> backward_cases() {
  std::vector<Case> all = sizes();
  all.push_back(sized("no columns", 3, 0));
  all.push_back(sized("many rows", 1500, 40));
  all.push_back(sized("rows of four warps", 41, 1032));
  all.push_back(sized("rows of a block", 7, 8184));
  all.push_back(sized("no weight", 5, 304, {.without = {"weight", "dbias"}}));
  all.push_back(sized("dx alone", 5, 300, {.without = {"dweight", "dbias"}}));
  all.push_back(sized("no dweight", 40, 72, {.without = {"dweight"}}));
  all.push_back(norm::many_rows("many odd rows", 6400));
  add_timed(all, 16384);
  return all;
}

WARPATH_OP(Forward, .reference = forward_reference, .cases = forward_cases, .cost = cost,
           .tolerance = tolerance, .prepare = norm::move_away<Forward>);
WARPATH_OP(Backward, .reference = backward_reference, .cases = backward_cases, .cost = cost,
           .tolerance = tolerance, .prepare = make_moments);

}  // namespace warpath::layer_norm
