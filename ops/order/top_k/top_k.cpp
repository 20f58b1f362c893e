#include "ops/order/top_k/top_k.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "core/host/indices.h"
#include "core/host/parallel.h"
#include "core/host/registry.h"

namespace warpath::top_k {

// NaN is larger than every number, and all NaNs are equal.
static bool less(double a, double b) {
  return std::isnan(b) ? !std::isnan(a) : a < b;
}

static void reference(const Forward& args, const Forward&) {
  check_k(args);
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1], k = args.k;
  const bool largest = args.side == Side::largest;
  parallel_for(rows, 1, [&](std::int64_t r) {
    const double* const row = args.x.as<double>() + r * cols;
    std::vector<std::int64_t> order(static_cast<std::size_t>(cols));
    std::iota(order.begin(), order.end(), 0);
    const auto end = order.begin() + k;
    std::partial_sort(order.begin(), end, order.end(), [=](std::int64_t a, std::int64_t b) {
      if (largest ? less(row[b], row[a]) : less(row[a], row[b])) return true;
      if (largest ? less(row[a], row[b]) : less(row[b], row[a])) return false;
      return a < b;
    });
    if (!args.sorted) std::sort(order.begin(), end);
    for (std::int64_t j = 0; j < k; ++j) {
      const std::int64_t c = order[static_cast<std::size_t>(j)];
      args.values.as<double>()[r * k + j] = row[c];
      args.indices.as<std::int64_t>()[r * k + j] = c;
    }
  });
}

static void reference(const Backward& args, const Backward&) {
  const std::int64_t k = args.dy.shape[1], cols = args.cols;
  double* const dx = args.dx.as<double>();
  std::fill(dx, dx + args.dx.size(), 0.0);
  for (std::int64_t i = 0; i < args.dy.size(); ++i) {
    const std::int64_t c = args.indices.as<std::int64_t>()[i];
    if (c < 0 || c >= cols)
      throw Error("warpath::top_k_backward: column " + std::to_string(c) + " is outside a row of " +
                  std::to_string(cols));
    dx[i / k * cols + c] = args.dy.as<double>()[i];
  }
}

// Different columns for each row: multiples of a step that has no divisor in common with the number of columns.
static void prepare(const Backward& args) {
  const std::int64_t rows = args.dy.shape[0], k = args.dy.shape[1], cols = args.cols;
  for (std::int64_t r = 0; r < rows && k > 0; ++r) {
    std::int64_t* const at = args.indices.as<std::int64_t>() + r * k;
    const std::int64_t first = at[0] % cols;
    std::int64_t step = at[k - 1] % cols + 1;
    while (std::gcd(step, cols) != 1) ++step;
    for (std::int64_t j = 0; j < k; ++j) at[j] = (first + j * step) % cols;
  }
}

// Elements are copied.
static Tolerance tolerance(const Forward&) {
  return {.out_ulps = 0, .f32_ulps = 0};
}
static Tolerance tolerance(const Backward&) {
  return {.out_ulps = 0, .f32_ulps = 0};
}

static Cost cost(const Forward& args) {
  return {
      .flops = 0,
      .bytes = static_cast<double>(args.x.bytes() + args.values.bytes() + args.indices.bytes())};
}
static Cost cost(const Backward& args) {
  return {.flops = 0,
          .bytes = static_cast<double>(args.dy.bytes() + args.indices.bytes() + args.dx.bytes())};
}

static Case sized(const char* name, std::int64_t rows, std::int64_t cols, std::int64_t k,
                  Case c = {}) {
  c.name = name;
  c.dims = {{"rows", rows}, {"cols", cols}, {"k", k}};
  return c;
}

static std::vector<Case> forward_cases() {
  const std::map<std::string, Value> smallest = {{"side", "smallest"}},
                                     unsorted = {{"sorted", false}};
  const std::vector<DType> timed = {DType::f32, DType::bf16};
  std::vector<Case> all = {
      sized("no rows", 0, 10, 3),
      sized("k = 0", 3, 10, 0),
      sized("one", 1, 1, 1),
      sized("whole row", 3, 33, 33),
      sized("gating", 37, 128, 8),
      sized("warp-1", 5, 31, 7, {.scalars = smallest}),
      sized("block+1", 3, 257, 5),
      sized("k = 65", 2, 1031, 65, {.scalars = unsorted}),
      sized("1024 columns", 2, 1024, 32, {.scalars = unsorted}),
      sized("misaligned", 3, 640, 10, {.offset = 1}),
      sized("tile+1", 2, 8193, 6),
      sized("tiles", 1, 20480, 40, {.scalars = smallest}),
      sized("k = 300", 1, 5003, 300),
      sized("k = 2048", 1, 4099, 2048, {.scalars = unsorted}),
      sized("k = 129", 2, 1500, 129),
      sized("ascending, k = 20", 2, 3001, 20, {.fill = Fill::ramp}),
      sized("ties", 3, 999, 100, {.fill = Fill::ties}),
      sized("ties smallest", 2, 700, 20, {.fill = Fill::ties, .scalars = smallest}),
      sized("special", 12, 300, 9, {.fill = Fill::special}),
      sized("special smallest", 12, 61, 60, {.fill = Fill::special, .scalars = smallest}),
      sized("extreme", 3, 500, 250, {.fill = Fill::extreme}),
      sized("ascending", 1, 18000, 33, {.fill = Fill::ramp}),
      sized("descending", 1, 9001, 128, {.fill = Fill::ramp, .scalars = smallest}),
      sized("1024x32768 k=64", 1024, 32768, 64, {.dtypes = timed, .bench = true}),
      sized("65536x128 k=8", 65536, 128, 8, {.dtypes = timed, .bench = true}),
      sized("64x128256 k=50", 64, 128256, 50, {.dtypes = timed, .bench = true}),
      sized("8x1Mi k=256", 8, 1 << 20, 256, {.dtypes = {DType::f32}, .bench = true}),
      sized("999x10007 k=2048", 999, 10007, 2048, {.dtypes = timed, .bench = true}),
  };
  for (Case& c : all) c.scalars.insert({"k", c.dims["k"]});
  return all;
}

static std::vector<Case> backward_cases() {
  const std::vector<DType> timed = {DType::f32, DType::bf16};
  std::vector<Case> all = {
      sized("no rows", 0, 10, 3),
      sized("k = 0", 3, 10, 0),
      sized("one", 1, 1, 1),
      sized("whole row", 3, 33, 33),
      sized("gating", 70, 128, 8),
      sized("prime", 7, 1009, 31),
      sized("misaligned", 3, 640, 10, {.offset = 1}),
      sized("tile+1", 3, 8193, 300),
      sized("long row", 1, 40000, 7),
      sized("special", 6, 120, 40, {.fill = Fill::special}),
      sized("1024x32768 k=64", 1024, 32768, 64, {.dtypes = timed, .bench = true}),
      sized("65536x128 k=8", 65536, 128, 8, {.dtypes = timed, .bench = true}),
  };
  for (Case& c : all) c.scalars.insert({"cols", c.dims["cols"]});
  return all;
}

static void check(const Backward& args) {
  check_indices("indices", args.indices, 0, args.cols - 1);
}

WARPATH_OP(Forward, .reference = reference, .cases = forward_cases, .cost = cost,
           .tolerance = tolerance);
WARPATH_OP(Backward, .reference = reference, .cases = backward_cases, .cost = cost,
           .tolerance = tolerance, .prepare = prepare, .check = check);

}  // namespace warpath::top_k
