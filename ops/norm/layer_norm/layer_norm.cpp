#include "ops/norm/layer_norm/layer_norm.h"

#include <cmath>

#include "core/host/parallel.h"
#include "core/host/registry.h"
#include "ops/norm/reference.h"

namespace warpath::layer_norm {

using norm::add_timed, norm::bytes, norm::roundings, norm::sized, norm::sizes, norm::unit;

struct Moments {
  double mean, rstd;
};
static Moments moments(const double* x, std::int64_t cols, double eps) {
  double mean = 0, variance = 0;
  for (std::int64_t c = 0; c < cols; ++c) mean += x[c];
  mean /= static_cast<double>(cols);
  for (std::int64_t c = 0; c < cols; ++c) variance += (x[c] - mean) * (x[c] - mean);
  return {mean, 1 / std::sqrt(variance / static_cast<double>(cols) + eps)};
}

// An error of the mean, `roundings` units of its size, moves every x - mean by that much: the scale of
// y has size * rstd. It makes the variance larger by its square, and so rstd smaller by half of that.
// A chain of additions may also lose every square below half a unit of the sum.
static void forward_reference(const Forward& args, const Forward& scale) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  const double eps = static_cast<float>(args.eps);  // kernels get it as a float
  parallel_for(rows, 1, [&](std::int64_t r) {
    const double* x = args.x.as<double>() + r * cols;
    const auto [mean, rstd] = moments(x, cols, eps);
    double size = 0, lost = 0;
    for (std::int64_t c = 0; c < cols; ++c) {
      const double d = (x[c] - mean) * rstd, square = d * d / static_cast<double>(cols);
      size += x[c] * x[c] / static_cast<double>(cols);
      if (square < unit / 2) lost += square;
    }
    size = std::sqrt(size);  // the roundings of a sum are relative to it
    const double error = roundings(cols) * unit;
    const double slope = 1 + (error * size * rstd * size * rstd + lost / error) / 2;
    for (std::int64_t c = 0; c < cols; ++c) {
      const double n = (x[c] - mean) * rstd;
      const double w = args.weight.data ? args.weight.as<double>()[c] : 1;
      const double b = args.bias.data ? args.bias.as<double>()[c] : 0;
      args.y.as<double>()[r * cols + c] = n * w + b;
      scale.y.as<double>()[r * cols + c] =
          std::abs(w) * (std::abs(n) * slope + size * rstd) + std::abs(b);
    }
    if (args.mean.data) {
      args.mean.as<double>()[r] = mean;
      scale.mean.as<double>()[r] = size;
    }
    if (args.rstd.data) {
      args.rstd.as<double>()[r] = rstd;
      scale.rstd.as<double>()[r] = rstd * slope;
    }
  });
}

static void backward_reference(const Backward& args, const Backward& scale) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  const double each = 1 / static_cast<double>(cols);
  const auto normal = [&](std::int64_t r, std::int64_t c) {
    return (args.x.as<double>()[r * cols + c] - args.mean.as<double>()[r]) *
           args.rstd.as<double>()[r];
  };
  const auto slope = [&](std::int64_t r, std::int64_t c) {
    return args.dy.as<double>()[r * cols + c] *
           (args.weight.data ? args.weight.as<double>()[c] : 1);
  };
  parallel_for(rows, 1, [&](std::int64_t r) {
    double sum = 0, dot = 0, sum_size = 0, dot_size = 0;
    for (std::int64_t c = 0; c < cols; ++c) {
      const double g = slope(r, c), n = normal(r, c);
      sum += g;
      dot += g * n;
      sum_size += g * g;
      dot_size += g * n * g * n;
    }
    sum_size = std::abs(sum) * each + std::sqrt(sum_size * each);
    dot_size = std::abs(dot) * each + std::sqrt(dot_size * each);
    const double rstd = args.rstd.as<double>()[r];
    for (std::int64_t c = 0; c < cols; ++c) {
      const double g = slope(r, c), n = normal(r, c);
      args.dx.as<double>()[r * cols + c] = rstd * (g - each * (sum + n * dot));
      scale.dx.as<double>()[r * cols + c] =
          std::abs(rstd) * (std::abs(g) + sum_size + std::abs(n) * dot_size);
    }
  });
  norm::parameter_sums(args.dy, normal, args.dweight, scale.dweight, args.dbias, scale.dbias);
}

// mean and rstd must belong to x; random numbers do not.
static void make_moments(const Backward& args) {
  const std::int64_t cols = args.x.shape[1];
  for (std::int64_t r = 0; r < args.x.shape[0]; ++r) {
    const auto [mean, rstd] = moments(args.x.as<double>() + r * cols, cols, 1e-5);
    args.mean.as<double>()[r] = mean;
    args.rstd.as<double>()[r] = rstd;
  }
}

// eps of 0.25 marks the case whose rows lie far from zero: mean 10^4, deviation 1.
static void move_away(const Forward& args) {
  if (args.eps != 0.25) return;
  for (std::int64_t i = 0; i < args.x.size(); ++i) args.x.as<double>()[i] += 1e4;
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
  add_timed(all, 16384);
  return all;
}

WARPATH_OP(Forward, .reference = forward_reference, .cases = forward_cases, .cost = cost,
           .tolerance = tolerance, .prepare = move_away);
WARPATH_OP(Backward, .reference = backward_reference, .cases = backward_cases, .cost = cost,
           .tolerance = tolerance, .prepare = make_moments);

}  // namespace warpath::layer_norm
