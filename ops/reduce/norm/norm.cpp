#include "ops/reduce/norm/norm.h"

#include <cmath>

#include "core/host/parallel.h"
#include "core/host/registry.h"

namespace warpath::norm {

static double term(double x, Kind kind, double p) {
  switch (kind) {
    case Kind::two:
      return x * x;
    case Kind::power:
      return std::pow(std::abs(x), p);
    default:
      return std::abs(x);
  }
}

static double root(double sum, Kind kind, double p) {
  if (kind == Kind::two) return std::sqrt(sum);
  return kind == Kind::power ? std::pow(sum, 1 / p) : sum;
}

static void reference(const Args& args, const Args&) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  const double* const x = args.x.as<double>();
  const double p = static_cast<float>(args.p);  // kernels get it as a float
  // Stretches, so that one long row is shared out among the threads too.
  constexpr std::int64_t stretch = 1 << 16;
  const std::int64_t per_row = std::max<std::int64_t>(1, (cols + stretch - 1) / stretch);
  const auto join = [&](double a, double b) {
    if (args.kind != Kind::infinity) return a + b;
    return a > b || std::isnan(a) ? a : b;
  };
  std::vector<double> parts(static_cast<std::size_t>(rows * per_row));
  parallel_for(rows * per_row, 4, [&](std::int64_t k) {
    const double* const row = x + k / per_row * cols;
    const std::int64_t first = k % per_row * stretch, last = std::min(cols, first + stretch);
    double sum = 0;
    for (std::int64_t i = first; i < last; ++i) sum = join(sum, term(row[i], args.kind, p));
    parts[static_cast<std::size_t>(k)] = sum;
  });
  for (std::int64_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (std::int64_t k = 0; k < per_row; ++k)
      sum = join(sum, parts[static_cast<std::size_t>(r * per_row + k)]);
    args.y.as<double>()[r] = root(sum, args.kind, p);
  }
}

static Cost cost(const Args& args) {
  return {.flops = 2.0 * static_cast<double>(args.x.size()),
          .bytes = static_cast<double>(args.x.bytes() + args.y.bytes())};
}

// All terms are positive, so a chain of n additions errs by at most n roundings and in the mean by about sqrt(n) of them;
// 01_thread_a_row has the longest chains, and chains past 2^20 are refused there. A power comes by way of a logarithm, whose
// error grows with its exponent.
static Tolerance tolerance(const Args& args) {
  if (args.kind == Kind::infinity) return {.out_ulps = 0, .f32_ulps = 0};
  const double n = static_cast<double>(args.x.shape[1]);
  const double chain = n > (1 << 20) ? 32 : 4 + 0.8 * std::sqrt(n);
  return {.out_ulps = 1, .f32_ulps = chain + (args.kind == Kind::power ? 32 : 0)};
}

static std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](const char* name, const char* kind, std::int64_t rows, std::int64_t cols,
                       Case c = {}) {
    c.name = name;
    c.dims = {{"rows", rows}, {"cols", cols}};
    c.scalars.emplace("kind", kind);
    all.push_back(std::move(c));
  };
  add("one", "two", 1, 1);
  add("warp+1", "one", 1, 33);
  add("block+1", "infinity", 1, 257);
  add("prime", "two", 1, 10'007);
  add("prime, 3", "power", 1, 1009);
  add("half", "power", 9, 300, {.scalars = {{"p", 0.5}}});
  add("no rows", "two", 0, 10);
  add("no columns", "two", 5, 0);
  add("short rows", "one", 300, 7);
  add("rows", "two", 37, 1025);
  add("aligned rows", "infinity", 20, 4096);
  add("aligned rows, 2", "two", 9, 1024);
  add("long row", "two", 1, 200'001);
  add("long row, largest", "infinity", 1, 150'001);
  add("long rows", "one", 3, 40'003);
  add("misaligned", "two", 3, 20'003, {.offset = 1});
  add("wide", "two", 3, 3000, {.fill = Fill::wide});
  add("wide, largest", "infinity", 3, 3000, {.fill = Fill::wide});
  add("special", "two", 100, 301, {.fill = Fill::special});
  add("special, largest", "infinity", 100, 301, {.fill = Fill::special});
  add("special, sum", "one", 50, 301, {.fill = Fill::special});
  const std::map<std::string, Layout> columns = {{"x", Layout::columns}};
  add("columns", "two", 70, 133, {.layouts = columns});
  add("whole vectors of columns", "one", 128, 700, {.layouts = columns});
  add("many columns", "two", 800, 600, {.layouts = columns});
  add("few columns", "infinity", 5, 600, {.layouts = columns});
  add("padded", "two", 9, 1031, {.layouts = {{"x", Layout::padded}}});
  add("padded columns", "infinity", 64, 200, {.layouts = {{"x", Layout::padded_columns}}});
  add("misaligned columns", "two", 64, 200,
      {.layouts = {{"x", Layout::padded_columns}}, .offset = 1});
  add("power of columns", "power", 33, 100, {.layouts = columns});
  add("spread", "one", 5, 600, {.layouts = {{"x", Layout::spread}}});
  add("spread vector", "two", 1, 20'001, {.layouts = {{"x", Layout::spread}}});
  // On a device of three multiprocessors a block adds up more than 64 columns per lane.
  add("long columns", "two", 769, 521, {.layouts = columns});
  add("long spread vector", "one", 1, 400'001, {.layouts = {{"x", Layout::spread}}});
  add("special columns", "two", 96, 301, {.fill = Fill::special, .layouts = columns});
  add("special columns, largest", "infinity", 96, 301, {.fill = Fill::special, .layouts = columns});
  add("256Mi", "two", 1, 256 << 20, {.bench = true});
  add("65536x4096", "two", 65536, 4096, {.bench = true});
  add("256Mi, largest", "infinity", 1, 256 << 20,
      {.dtypes = {DType::f32, DType::bf16}, .bench = true});
  add("1009x99991", "one", 1009, 99991, {.dtypes = {DType::f32, DType::bf16}, .bench = true});
  add("first axis 4096x65536", "two", 65536, 4096,
      {.dtypes = {DType::f32, DType::bf16}, .layouts = columns, .bench = true});
  return all;
}

WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost, .tolerance = tolerance);

}  // namespace warpath::norm
