#include "ops/order/scan/scan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/host/parallel.h"
#include "core/host/registry.h"

namespace warpath::scan {

// Sums and products of integers wrap, and float64 has only 53 bits: they are taken in integers. Cases of 64-bit integers
// stay below 2^53.
static double combine(Kind kind, DType dtype, double a, double b) {
  if (kind == Kind::max) return a > b || std::isnan(a) ? a : b;
  if (is_float(dtype)) return kind == Kind::sum ? a + b : a * b;
  const auto p = static_cast<std::uint64_t>(static_cast<std::int64_t>(a));
  const auto q = static_cast<std::uint64_t>(static_cast<std::int64_t>(b));
  const std::uint64_t r = kind == Kind::sum ? p + q : p * q;
  if (dtype == DType::i64) return static_cast<double>(static_cast<std::int64_t>(r));
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(r));
}

static double identity(Kind kind, DType dtype) {
  if (kind == Kind::max)
    return dtype == DType::i64   ? -0x1p63
           : dtype == DType::i32 ? -0x1p31
                                 : -std::numeric_limits<double>::infinity();
  return kind == Kind::sum ? 0 : 1;
}

static void reference(const Args& args, const Args& scale) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  const double *x = args.x.as<double>(), *heads = args.heads.as<double>();
  double *y = args.y.as<double>(), *s = scale.y.as<double>();
  const DType dtype = scale.x.dtype;
  parallel_for(rows, 1, [&](std::int64_t row) {
    const double start = identity(args.kind, dtype);
    double value = start, squares = 0, count = 0;
    for (std::int64_t j = 0; j < cols; ++j) {
      const std::int64_t i = row * cols + (args.reverse ? cols - 1 - j : j);
      // In reverse a segment is entered at its last element, the one before the next head.
      const std::int64_t head = args.reverse ? i + 1 : i;
      if (heads && (args.reverse ? j > 0 : true) && heads[head] != 0) {
        value = start;
        squares = count = 0;
      }
      const double before = value;
      value = combine(args.kind, dtype, value, x[i]);
      y[i] = args.exclusive ? before : value;
      // Rounding errors of a sum grow with its 2-norm, those of a product with the root of its length.
      squares += x[i] * x[i];
      count += 1;
      s[i] = args.kind == Kind::sum ? std::abs(y[i]) + std::sqrt(squares)
                                    : std::abs(y[i]) * std::sqrt(count);
    }
  });
}

// Random products would soon be zero: floats become factors close to one.
static void prepare(const Args& args) {
  if (args.kind != Kind::product) return;
  double* const x = args.x.as<double>();
  for (std::int64_t i = 0; i < args.x.size(); ++i)
    if (x[i] != std::nearbyint(x[i])) x[i] = 1 + x[i] / 64;
}

static Cost cost(const Args& args) {
  const double heads = args.heads.rank > 0 ? static_cast<double>(args.heads.bytes()) : 0;
  return {.flops = static_cast<double>(args.x.size()),
          .bytes = static_cast<double>(args.x.bytes() + args.y.bytes()) + heads};
}

// A maximum is one of its inputs, integers are exact. The longest chain of additions is that of a block that walks along
// a row, 256 elements at a time; rows over 2^22 elements are not scanned so.
static Tolerance tolerance(const Args& args) {
  if (args.kind == Kind::max || !is_float(args.x.dtype)) return {.out_ulps = 0, .f32_ulps = 0};
  const double n = std::min(static_cast<double>(args.x.shape[1]), 0x1p22);
  return {.out_ulps = 1, .f32_ulps = 8 + std::sqrt(n / 128)};
}

static std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](const char* name, std::int64_t rows, std::int64_t cols, const char* kind,
                       const char* how = "", Case c = {}) {
    c.name = std::string(kind) + " " + name;
    c.dims = {{"rows", rows}, {"cols", cols}};
    const std::string ways = how;
    const auto has = [&](const char* way) { return ways.find(way) != std::string::npos; };
    c.scalars = {{"kind", kind}, {"exclusive", has("exclusive")}, {"reverse", has("reverse")}};
    if (!has("heads")) c.without = {"heads"};
    all.push_back(std::move(c));
  };
  const std::vector<DType> floats = {DType::f32, DType::f16, DType::bf16};
  add("one", 1, 1, "sum");
  add("one exclusive", 1, 1, "max", "exclusive");
  add("no rows", 0, 10, "sum");
  add("no columns", 3, 0, "sum");
  add("warp-1", 1, 31, "sum");
  add("warp", 1, 32, "sum", "exclusive");
  add("warp+1", 1, 33, "max");
  add("block+1", 2, 257, "sum");
  add("rows of one", 70, 1, "sum", "exclusive");
  add("short rows", 37, 7, "sum", "reverse");
  add("rows", 5, 1025, "max", "exclusive reverse");
  add("aligned rows", 6, 512, "sum", "reverse");
  add("rows below zero", 3, 300, "max", "exclusive", {.fill = Fill::low, .dtypes = floats});
  add("prime", 1, 10007, "sum");
  add("prime", 1, 10007, "product", "reverse exclusive", {.dtypes = floats});
  add("integers", 3, 45, "product", "", {.fill = Fill::ties, .dtypes = {DType::i32}});
  add("tile-1", 1, 4095, "sum", "exclusive");
  add("tile+1", 2, 4097, "sum", "reverse");
  add("tiles", 2, 12289, "max", "", {.dtypes = {DType::f32, DType::i32}});
  // More than 32 tiles of 4096, more than two groups of 32 tiles of 2048.
  add("groups", 1, 135'009, "sum", "", {.dtypes = {DType::f32, DType::i32}});
  add("groups of halves", 1, 270'001, "sum", "reverse", {.dtypes = {DType::bf16}});
  // Tiles of 32 KiB: three groups of 32, and rows of several that begin anywhere.
  add("many groups", 1, 540'001, "sum", "exclusive", {.dtypes = {DType::f32}});
  add("long rows", 3, 33'333, "sum", "reverse", {.dtypes = {DType::f32, DType::f16}, .offset = 1});
  add("long rows apart", 2, 20'001, "max", "",
      {.dtypes = {DType::i32}, .offset = 1, .offsets = {{"y", 2}}});
  // Sums over 2^32, by tiles of 2048 to 4096 elements.
  add("large", 1, 70'001, "sum", "", {.fill = Fill::wide, .dtypes = {DType::i64}});
  add("large rows", 2, 9001, "sum", "exclusive reverse",
      {.fill = Fill::wide, .dtypes = {DType::i64}, .offset = 1});
  add("segments large", 1, 70'001, "sum", "heads", {.fill = Fill::wide, .dtypes = {DType::i64}});
  add("misaligned", 3, 4099, "sum", "", {.offset = 1});
  add("apart", 2, 1030, "sum", "reverse", {.offset = 1, .offsets = {{"y", 2}}});
  add("wide", 2, 3001, "sum", "", {.fill = Fill::wide, .dtypes = floats});
  add("special", 40, 301, "sum", "", {.fill = Fill::special, .dtypes = floats});
  add("special", 40, 301, "max", "reverse", {.fill = Fill::special, .dtypes = floats});
  add("segments", 1, 5003, "sum", "heads");
  add("segments exclusive", 3, 1301, "max", "heads exclusive");
  add("segments reverse", 2, 4999, "sum", "heads reverse");
  add("segments misaligned", 2, 777, "sum", "heads exclusive reverse", {.offset = 1});
  add("256Mi", 1, 256 << 20, "sum", "",
      {.dtypes = {DType::f32, DType::f16, DType::bf16, DType::i32}, .bench = true});
  add("256Mi", 1, 256 << 20, "max", "", {.dtypes = {DType::f32}, .bench = true});
  add("65536x4096", 65536, 4096, "sum", "", {.dtypes = {DType::f32, DType::bf16}, .bench = true});
  add("32768x1000", 32768, 1000, "sum", "", {.dtypes = {DType::f32, DType::bf16}, .bench = true});
  add("segments 64Mi", 1, 64 << 20, "sum", "heads", {.dtypes = {DType::f32}, .bench = true});
  return all;
}

WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost, .tolerance = tolerance,
           .prepare = prepare);

}  // namespace warpath::scan
