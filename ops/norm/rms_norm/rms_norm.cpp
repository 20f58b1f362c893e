#include "ops/norm/rms_norm/rms_norm.h"

#include <cmath>

#include "core/host/parallel.h"
#include "core/host/registry.h"
#include "ops/norm/reference.h"

namespace warpath::rms_norm {

using norm::add_timed, norm::bytes, norm::roundings, norm::sized, norm::sizes, norm::unit;

static double rstd_of(const double* x, std::int64_t cols, double eps) {
  double squares = 0;
  for (std::int64_t c = 0; c < cols; ++c) squares += x[c] * x[c];
  return 1 / std::sqrt(squares / static_cast<double>(cols) + eps);
}

// A chain of additions may lose every square below half a unit of the sum: rstd is then larger by half
// of what is lost.
static void forward_reference(const Forward& args, const Forward& scale) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  const double eps = static_cast<float>(args.eps);  // kernels get it as a float
  parallel_for(rows, 1, [&](std::int64_t r) {
    const double* x = args.x.as<double>() + r * cols;
    const double rstd = rstd_of(x, cols, eps);
    double lost = 0;
    for (std::int64_t c = 0; c < cols; ++c) {
      const double square = x[c] * rstd * x[c] * rstd / static_cast<double>(cols);
      if (square < unit / 2) lost += square;
    }
    const double slope = 1 + lost / (roundings(cols) * unit) / 2;
    for (std::int64_t c = 0; c < cols; ++c) {
      const double y = x[c] * rstd * (args.weight.data ? args.weight.as<double>()[c] : 1);
      args.y.as<double>()[r * cols + c] = y;
      scale.y.as<double>()[r * cols + c] = std::abs(y) * slope;
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
    return args.x.as<double>()[r * cols + c] * args.rstd.as<double>()[r];
  };
  const auto slope = [&](std::int64_t r, std::int64_t c) {
    return args.dy.as<double>()[r * cols + c] *
           (args.weight.data ? args.weight.as<double>()[c] : 1);
  };
  parallel_for(rows, 1, [&](std::int64_t r) {
    double dot = 0, squares = 0;
    for (std::int64_t c = 0; c < cols; ++c) {
      const double part = slope(r, c) * normal(r, c);
      dot += part;
      squares += part * part;
    }
    const double size = std::abs(dot) * each + std::sqrt(squares * each);
    const double rstd = args.rstd.as<double>()[r];
    for (std::int64_t c = 0; c < cols; ++c) {
      const double g = slope(r, c), n = normal(r, c);
      args.dx.as<double>()[r * cols + c] = rstd * (g - each * n * dot);
      scale.dx.as<double>()[r * cols + c] = std::abs(rstd) * (std::abs(g) + std::abs(n) * size);
    }
  });
  norm::parameter_sums(args.dy, normal, args.dweight, scale.dweight);
}

// rstd must belong to x; a random number does not.
static void make_rstd(const Backward& args) {
  const std::int64_t cols = args.x.shape[1];
  for (std::int64_t r = 0; r < args.x.shape[0]; ++r)
    args.rstd.as<double>()[r] = rstd_of(args.x.as<double>() + r * cols, cols, 1e-6);
}

static Tolerance tolerance(const Forward& args) {
  return {.out_ulps = 1, .f32_ulps = roundings(args.x.shape[1])};
}
static Tolerance tolerance(const Backward& args) {
  return {.out_ulps = 1, .f32_ulps = roundings(std::max(args.x.shape[0], args.x.shape[1]))};
}

// Operations per element: square and add, scale, weight; backward: normalise, weight, a sum (2), dx (3), a sum over the
// rows (2).
static Cost cost(const Forward& args) {
  return {.flops = 4.0 * static_cast<double>(args.x.size()),
          .bytes = bytes({args.x, args.weight, args.y, args.rstd})};
}
static Cost cost(const Backward& args) {
  return {.flops = 9.0 * static_cast<double>(args.x.size()),
          .bytes = bytes({args.x, args.dy, args.rstd, args.weight, args.dx, args.dweight})};
}

static std::vector<Case> forward_cases() {
  std::vector<Case> all = sizes();
  all.push_back(sized("no columns", 3, 0, {.without = {"rstd"}}));
  all.push_back(sized("33k", 1, 33000, {.dtypes = {DType::f16, DType::bf16}}));
  all.push_back(sized("longer than registers", 1, 70000));
  all.push_back(sized("far from zero", 5, 1000, {.fill = Fill::low}));
  all.push_back(sized("large eps", 5, 100, {.scalars = {{"eps", 10}}, .without = {"rstd"}}));
  all.push_back(sized("no weight", 5, 304, {.without = {"weight"}}));
  all.push_back(sized("neither", 5, 72, {.without = {"weight", "rstd"}}));
  all.push_back(sized("special", 90, 60, {.fill = Fill::special}));
  all.push_back(sized("special long", 9, 1500, {.fill = Fill::special}));
  all.push_back(norm::many_rows("many odd rows", 12800));
  add_timed(all, 32768);
  return all;
}

static std::vector<Case> backward_cases() {
  std::vector<Case> all = sizes();
  all.push_back(sized("no columns", 3, 0));
  all.push_back(sized("many rows", 1500, 40));
  all.push_back(sized("rows of four warps", 41, 1032));
  all.push_back(sized("rows of a block", 7, 8184));
  all.push_back(sized("no weight", 5, 304, {.without = {"weight"}}));
  all.push_back(sized("dx alone", 5, 300, {.without = {"dweight"}}));
  add_timed(all, 16384);
  return all;
}

WARPATH_OP(Forward, .reference = forward_reference, .cases = forward_cases, .cost = cost,
           .tolerance = tolerance);
WARPATH_OP(Backward, .reference = backward_reference, .cases = backward_cases, .cost = cost,
           .tolerance = tolerance, .prepare = make_rstd);

}  // namespace warpath::rms_norm
