#include "ops/norm/add_norm/add_norm.h"

#include <cmath>

#include "core/host/parallel.h"
#include "core/host/registry.h"
#include "ops/norm/reference.h"

namespace warpath::add_norm {

using norm::bytes, norm::roundings, norm::unit;

struct Moments {
  double mean, rstd;
};
static Moments moments(const double* s, std::int64_t cols, Kind kind, double eps) {
  double mean = 0, variance = 0;
  for (std::int64_t c = 0; c < cols && kind == Kind::layer; ++c) mean += s[c];
  mean /= static_cast<double>(std::max<std::int64_t>(cols, 1));
  for (std::int64_t c = 0; c < cols; ++c) variance += (s[c] - mean) * (s[c] - mean);
  return {mean, 1 / std::sqrt(variance / static_cast<double>(cols) + eps)};
}

// As in layer_norm.cpp: an error of the mean moves every s - mean by that much, and makes the variance
// larger by its square.
static void forward_reference(const Forward& args, const Forward& scale) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  const double eps = static_cast<float>(args.eps);  // kernels get it as a float
  parallel_for(rows, 1, [&](std::int64_t r) {
    double* s = args.s.as<double>() + r * cols;
    double size = 0;
    for (std::int64_t c = 0; c < cols; ++c) {
      s[c] = args.x.as<double>()[r * cols + c] + args.residual.as<double>()[r * cols + c];
      size += s[c] * s[c] / static_cast<double>(cols);
    }
    size = std::sqrt(size);
    const auto [mean, rstd] = moments(s, cols, args.kind, eps);
    const double slope = 1 + roundings(cols) * unit * size * rstd * size * rstd / 2;
    for (std::int64_t c = 0; c < cols; ++c) {
      const double n = (s[c] - mean) * rstd;
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
  const std::int64_t rows = args.s.shape[0], cols = args.s.shape[1];
  const double each = 1 / static_cast<double>(cols);
  const bool layer = args.kind == Kind::layer;
  const auto normal = [&](std::int64_t r, std::int64_t c) {
    const double mean = layer ? args.mean.as<double>()[r] : 0;
    return (args.s.as<double>()[r * cols + c] - mean) * args.rstd.as<double>()[r];
  };
  const auto slope = [&](std::int64_t r, std::int64_t c) {
    return args.dy.as<double>()[r * cols + c] *
           (args.weight.data ? args.weight.as<double>()[c] : 1);
  };
  parallel_for(rows, 1, [&](std::int64_t r) {
    double sum = 0, dot = 0, sum_size = 0, dot_size = 0;
    for (std::int64_t c = 0; c < cols; ++c) {
      const double g = slope(r, c), n = normal(r, c);
      if (layer) sum += g;
      dot += g * n;
      sum_size += g * g;
      dot_size += g * n * g * n;
    }
    sum_size = layer ? std::abs(sum) * each + std::sqrt(sum_size * each) : 0;
    dot_size = std::abs(dot) * each + std::sqrt(dot_size * each);
    const double rstd = args.rstd.as<double>()[r];
    for (std::int64_t c = 0; c < cols; ++c) {
      const double g = slope(r, c), n = normal(r, c);
      const double ds = args.ds.data ? args.ds.as<double>()[r * cols + c] : 0;
      args.dx.as<double>()[r * cols + c] = rstd * (g - each * (sum + n * dot)) + ds;
      scale.dx.as<double>()[r * cols + c] =
          std::abs(rstd) * (std::abs(g) + sum_size + std::abs(n) * dot_size) + std::abs(ds);
    }
  });
  norm::parameter_sums(args.dy, normal, args.dweight, scale.dweight, args.dbias, scale.dbias);
}

// The norm is that of the rounded sum, and the reference does not know the type. Multiples of 1/8 between
// -8 and 8 have sums of at most 8 bits, which every type holds: nothing is rounded.
static void make_sums_exact(const Forward& args) {
  for (const Tensor& t : {args.x, args.residual})
    for (std::int64_t i = 0; i < t.size(); ++i)
      if (double& v = t.as<double>()[i]; std::isfinite(v))
        v = std::clamp(std::nearbyint(8 * v) / 8, -7.875, 7.875);
}

// mean and rstd must belong to s; random numbers do not.
static void make_moments(const Backward& args) {
  const std::int64_t cols = args.s.shape[1];
  for (std::int64_t r = 0; r < args.s.shape[0]; ++r) {
    const auto [mean, rstd] = moments(args.s.as<double>() + r * cols, cols, args.kind, 1e-5);
    args.mean.as<double>()[r] = mean;
    args.rstd.as<double>()[r] = rstd;
  }
}

static Tolerance tolerance(const Forward& args) {
  return {.out_ulps = 1, .f32_ulps = roundings(args.x.shape[1])};
}
static Tolerance tolerance(const Backward& args) {
  return {.out_ulps = 1, .f32_ulps = roundings(std::max(args.s.shape[0], args.s.shape[1]))};
}

// Operations per element: as layer_norm's, and an addition.
static Cost cost(const Forward& args) {
  return {.flops = 8.0 * static_cast<double>(args.x.size()),
          .bytes = bytes({args.x, args.residual, args.weight, args.bias, args.y, args.s, args.mean,
                          args.rstd})};
}
static Cost cost(const Backward& args) {
  return {.flops = 14.0 * static_cast<double>(args.s.size()),
          .bytes = bytes({args.s, args.dy, args.mean, args.rstd, args.ds, args.weight, args.dx,
                          args.dweight, args.dbias})};
}

static Case sized(const char* name, std::int64_t rows, std::int64_t cols, const char* kind,
                  Case c = {}) {
  c.scalars.insert_or_assign("kind", kind);
  return norm::sized(name, rows, cols, std::move(c));
}

static std::vector<Case> sizes() {
  return {
      sized("empty", 0, 8, "layer"),
      sized("no columns", 3, 0, "rms", {.without = {"weight"}}),
      sized("one", 1, 1, "rms"),
      sized("warp+1", 70, 33, "layer"),
      sized("rms prime", 11, 257, "rms"),
      sized("768", 9, 768, "layer"),
      sized("rms 4k", 2, 4096, "rms"),
      sized("odd and long", 1, 9001, "layer"),
      sized("rms 9k", 1, 9000, "rms"),
      sized("misaligned", 3, 520, "layer", {.offset = 1}),
      sized("rms half-aligned", 3, 514, "rms", {.offset = 2}),
  };
}

static void add_timed(std::vector<Case>& all) {
  const Case bench = {.dtypes = {DType::bf16}, .bench = true};
  all.push_back(sized("768 columns", 131072, 768, "layer", bench));
  all.push_back(sized("rms 4k columns", 32768, 4096, "rms", bench));
  all.push_back(sized("rms 8k columns", 16384, 8192, "rms", bench));
  all.push_back(sized("rms 3073 columns", 32768, 3073, "rms",
                      {.dtypes = {DType::f32, DType::bf16}, .bench = true}));
}

static std::vector<Case> forward_cases() {
  std::vector<Case> all = sizes();
  all[1].without = {"mean", "rstd"};
  all.push_back(sized("longer than registers", 1, 33000, "layer"));
  all.push_back(sized("in place", 5, 300, "layer", {.in_place = {"s"}}));
  all.push_back(sized("rms in place", 2, 9000, "rms", {.in_place = {"y", "s"}}));
  all.push_back(
      sized("weight alone", 5, 100, "rms", {.scalars = {{"eps", 10}}, .without = {"bias"}}));
  all.push_back(sized("neither", 5, 72, "layer", {.without = {"weight", "bias", "mean", "rstd"}}));
  all.push_back(sized("special", 90, 60, "layer", {.fill = Fill::special, .without = {"mean"}}));
  all.push_back(sized("many odd rows", 6400, 9, "layer", {.dtypes = {DType::bf16}}));
  add_timed(all);
  return all;
}

static std::vector<Case> backward_cases() {
  std::vector<Case> all = sizes();
  all.push_back(sized("16k+8", 1, 16392, "layer"));
  all.push_back(sized("many rows", 700, 40, "layer"));
  all.push_back(sized("rows of four warps", 41, 1032, "layer"));
  all.push_back(sized("rows of a block", 7, 8184, "rms"));
  all.push_back(sized("no ds", 5, 304, "layer", {.without = {"ds"}}));
  all.push_back(sized("rms no ds", 2, 9001, "rms", {.without = {"ds", "weight", "dbias"}}));
  all.push_back(sized("dx alone", 5, 300, "rms", {.without = {"dweight", "dbias"}}));
  add_timed(all);
  return all;
}

WARPATH_OP(Forward, .reference = forward_reference, .cases = forward_cases, .cost = cost,
           .tolerance = tolerance, .prepare = make_sums_exact);
WARPATH_OP(Backward, .reference = backward_reference, .cases = backward_cases, .cost = cost,
           .tolerance = tolerance, .prepare = make_moments);

}  // namespace warpath::add_norm
