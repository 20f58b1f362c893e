#include "ops/reduce/reduce/reduce.h"

#include <cmath>
#include <limits>

#include "core/host/parallel.h"
#include "core/host/registry.h"

namespace warpath::reduce {

// The result of a stretch of a row, and its sum of squares: rounding errors of a sum grow with its
// 2-norm.
struct Partial {
  double value, squares;
};

static Partial identity(Kind kind) {
  return {kind == Kind::sum ? 0.0 : -std::numeric_limits<double>::infinity(), 0.0};
}

static Partial combine(Kind kind, Partial a, Partial b) {
  if (kind == Kind::sum) return {a.value + b.value, a.squares + b.squares};
  return {a.value > b.value || std::isnan(a.value) ? a.value : b.value, 0.0};
}

static void reference(const Args& args, const Args& scale) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  const double* x = args.x.as<double>();
  // Stretches, so that one long row is shared out among the threads too.
  constexpr std::int64_t stretch = 1 << 16;
  const std::int64_t per_row = std::max<std::int64_t>(1, (cols + stretch - 1) / stretch);
  std::vector<Partial> partials(static_cast<std::size_t>(rows * per_row), identity(args.kind));
  parallel_for(rows * per_row, 4, [&](std::int64_t k) {
    const double* row = x + k / per_row * cols;
    const std::int64_t first = k % per_row * stretch, last = std::min(cols, first + stretch);
    Partial p = identity(args.kind);
    for (std::int64_t i = first; i < last; ++i)
      p = combine(args.kind, p, {row[i], row[i] * row[i]});
    partials[static_cast<std::size_t>(k)] = p;
  });
  for (std::int64_t r = 0; r < rows; ++r) {
    Partial p = identity(args.kind);
    for (std::int64_t k = 0; k < per_row; ++k)
      p = combine(args.kind, p, partials[static_cast<std::size_t>(r * per_row + k)]);
    args.y.as<double>()[r] = p.value;
    scale.y.as<double>()[r] = std::abs(p.value) + std::sqrt(p.squares);
  }
}

static Cost cost(const Args& args) {
  return {.flops = static_cast<double>(args.x.size()),
          .bytes = static_cast<double>(args.x.bytes() + args.y.bytes())};
}

// A maximum is one of its inputs, integers are exact. A tree of float additions errs by a few
// roundings; a chain of n atomic additions by about sqrt(n) of them, and rows too long for that
// (see 01_atomic) are held to the tree's bound, so that one lost element among 2^28 still shows.
static Tolerance tolerance(const Args& args) {
  if (args.kind == Kind::max || !is_float(args.x.dtype)) return {.out_ulps = 0, .f32_ulps = 0};
  const double n = static_cast<double>(args.x.shape[1]);
  return {.out_ulps = 1, .f32_ulps = n > (1 << 24) ? 32 : 4 + 0.8 * std::sqrt(n)};
}

static std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Kind kind : {Kind::sum, Kind::max}) {
    const std::string prefix = kind == Kind::sum ? "sum " : "max ";
    const auto add = [&](const char* name, std::int64_t rows, std::int64_t cols, Case c = {}) {
      c.name = prefix + name;
      c.dims = {{"rows", rows}, {"cols", cols}};
      c.scalars = {{"kind", kind == Kind::sum ? "sum" : "max"}};
      all.push_back(std::move(c));
    };
    const std::vector<DType> floats = {DType::f32, DType::f16, DType::bf16};
    add("one", 1, 1);
    add("warp+1", 1, 33);
    add("block-1", 1, 255);
    add("prime", 1, 10007);
    add("million", 1, 1'000'003);
    add("no rows", 0, 10);
    add("short rows", 1000, 7);
    add("short aligned rows", 9, 1024);
    add("rows of one", 300, 1);
    add("rows", 37, 1025);
    add("aligned rows", 64, 4096);
    add("long row", 1, 40'001);
    add("long rows", 3, 70'001);
    add("misaligned", 5, 4099, {.offset = 1});
    add("wide", 3, 5000, {.fill = Fill::wide, .dtypes = floats});
    add("ties", 9, 3001, {.fill = Fill::ties});
    add("special", 200, 501, {.fill = Fill::special, .dtypes = floats});
    add("256Mi", 1, 256 << 20, {.bench = true});
    add("65536x4096", 65536, 4096, {.bench = true});
  }
  return all;
}

WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost, .tolerance = tolerance);

}  // namespace warpath::reduce
