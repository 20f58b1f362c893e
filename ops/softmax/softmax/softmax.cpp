#include "ops/softmax/softmax/softmax.h"

#include <cmath>
#include <limits>

#include "core/host/parallel.h"
#include "core/host/registry.h"

namespace warpath::softmax {

// y may be x. `distance` gets |x - max| where it is wanted.
static void softmax_row(const double* x, double* y, double* distance, std::int64_t cols) {
  double largest = -std::numeric_limits<double>::infinity();
  for (std::int64_t c = 0; c < cols; ++c) largest = std::fmax(largest, x[c]);
  double sum = 0;
  for (std::int64_t c = 0; c < cols; ++c) {
    if (distance) distance[c] = std::abs(x[c] - largest);
    y[c] = std::exp(x[c] - largest);
    sum += y[c];
  }
  for (std::int64_t c = 0; c < cols; ++c) y[c] /= sum;
}

// The argument of exp has a rounding error in proportion to its size, which becomes a relative
// error of the result.
static void forward_reference(const Forward& args, const Forward& scale) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  parallel_for(rows, 1, [&](std::int64_t r) {
    double* y = args.y.as<double>() + r * cols;
    double* s = scale.y.as<double>() + r * cols;
    softmax_row(args.x.as<double>() + r * cols, y, s, cols);
    for (std::int64_t c = 0; c < cols; ++c) s[c] = y[c] == 0 ? 0 : y[c] * (1 + s[c]);
  });
}

static void backward_reference(const Backward& args, const Backward& scale) {
  const std::int64_t rows = args.y.shape[0], cols = args.y.shape[1];
  parallel_for(rows, 1, [&](std::int64_t r) {
    const double* y = args.y.as<double>() + r * cols;
    const double* dy = args.dy.as<double>() + r * cols;
    double dot = 0, squares = 0;
    for (std::int64_t c = 0; c < cols; ++c) {
      dot += y[c] * dy[c];
      squares += y[c] * dy[c] * y[c] * dy[c];
    }
    for (std::int64_t c = 0; c < cols; ++c) {
      args.dx.as<double>()[r * cols + c] = y[c] * (dy[c] - dot);
      scale.dx.as<double>()[r * cols + c] =
          std::abs(y[c]) * (std::abs(dy[c]) + std::abs(dot) + std::sqrt(squares));
    }
  });
}

// y must be the result of a softmax; random numbers are not.
static void make_probabilities(const Backward& args) {
  const std::int64_t cols = args.y.shape[1];
  parallel_for(args.y.shape[0], 1, [&](std::int64_t r) {
    double* y = args.y.as<double>() + r * cols;
    softmax_row(y, y, nullptr, cols);
  });
}

// A tree of additions errs by a few roundings, a chain of n by about sqrt(n) of them: one thread
// may add up a whole row. In 16 bits cuDNN itself is up to 1.5 ulp off, so 2 are allowed.
static Tolerance tolerance_of_row(std::int64_t cols) {
  return {.out_ulps = 2, .f32_ulps = 8 + std::sqrt(static_cast<double>(cols))};
}
static Tolerance tolerance(const Forward& args) {
  return tolerance_of_row(args.x.shape[1]);
}
static Tolerance tolerance(const Backward& args) {
  return tolerance_of_row(args.y.shape[1]);
}

// Operations per element: subtract, scale, exp (counted as one), add up, divide; backward:
// multiply, add up, subtract, multiply.
static Cost cost(const Forward& args) {
  return {.flops = 5.0 * static_cast<double>(args.x.size()),
          .bytes = 2.0 * static_cast<double>(args.x.bytes())};
}
static Cost cost(const Backward& args) {
  return {.flops = 4.0 * static_cast<double>(args.y.size()),
          .bytes = 3.0 * static_cast<double>(args.y.bytes())};
}

// `out` is the output that some cases place at another distance from a 16-byte boundary.
static std::vector<Case> sizes(const char* out) {
  const auto sized = [](const char* name, std::int64_t rows, std::int64_t cols, Case c = {}) {
    c.name = name;
    c.dims = {{"rows", rows}, {"cols", cols}};
    return c;
  };
  std::vector<Case> all = {
      sized("empty", 0, 8),
      sized("one", 1, 1),
      sized("columns of one", 70, 1),
      sized("warp-1", 5, 31),
      sized("warp+1", 5, 33),
      sized("prime", 17, 257),
      sized("1k", 9, 1024),
      sized("1k+1", 9, 1025),
      sized("2k", 5, 2000),
      sized("4k-1", 3, 4095),
      sized("4k", 3, 4096),
      sized("6k", 3, 6000),
      sized("12k", 2, 12000),
      sized("many rows", 1030, 40),
      sized("16k+8", 2, 16392),
      sized("33k", 1, 33000),
      sized("33k, cut differently", 1, 33000, {.offsets = {{out, 1}}}),
      sized("1k, cut differently", 3, 1001, {.offsets = {{out, 1}}}),
      sized("longer than shared memory", 2, 70001),
      sized("140k, cut differently", 1, 140000, {.offsets = {{out, 1}}}),
      sized("270k", 1, 270000),
      sized("270k+1", 1, 270001),
      sized("misaligned", 4, 2048, {.offset = 1}),
      sized("half-aligned", 4, 2050, {.offset = 2}),
      sized("wide", 7, 999, {.fill = Fill::wide}),
      sized("ties", 7, 1000, {.fill = Fill::ties}),
      sized("low", 7, 300, {.fill = Fill::low}),
  };
  const std::vector<DType> timed = {DType::f32, DType::bf16};
  all.push_back(sized("1k rows", 131072, 1024, {.dtypes = timed, .bench = true}));
  all.push_back(sized("4k rows", 32768, 4096, {.dtypes = timed, .bench = true}));
  all.push_back(sized("16k rows", 8192, 16384, {.dtypes = timed, .bench = true}));
  all.push_back(sized("50257 rows", 4096, 50257, {.dtypes = timed, .bench = true}));
  all.push_back(sized("64k rows", 4096, 65536, {.dtypes = timed, .bench = true}));
  all.push_back(sized("256k rows", 1024, 262144, {.dtypes = timed, .bench = true}));
  return all;
}

static std::vector<Case> forward_cases() {
  std::vector<Case> all = sizes("y");
  all.push_back({.name = "extreme", .dims = {{"rows", 9}, {"cols", 1000}}, .fill = Fill::extreme});
  all.push_back({.name = "special", .dims = {{"rows", 400}, {"cols", 60}}, .fill = Fill::special});
  all.push_back(
      {.name = "special long", .dims = {{"rows", 40}, {"cols", 5000}}, .fill = Fill::special});
  return all;
}

static std::vector<Case> backward_cases() {
  return sizes("dx");
}

WARPATH_OP(Forward, .reference = forward_reference, .cases = forward_cases, .cost = cost,
           .tolerance = tolerance);
WARPATH_OP(Backward, .reference = backward_reference, .cases = backward_cases, .cost = cost,
           .tolerance = tolerance, .prepare = make_probabilities);

}  // namespace warpath::softmax
