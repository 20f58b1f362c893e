#include "ops/reduce/segment_sum/segment_sum.h"

#include <cmath>
#include <limits>

#include "core/host/error.h"
#include "core/host/indices.h"
#include "core/host/parallel.h"
#include "core/host/registry.h"

namespace warpath::segment_sum {

static void reference(const Args& args, const Args& scale) {
  const std::int64_t n = args.x.shape[0], cols = args.x.shape[1], segments = args.y.shape[0];
  const double* const x = args.x.as<double>();
  const std::int64_t* const offsets = args.offsets.as<std::int64_t>();
  // Python calls the reference for float64 tensors, with whatever offsets it was given.
  for (std::int64_t s = 0; s < segments; ++s)
    if (offsets[s] < 0 || offsets[s] > offsets[s + 1] || offsets[s + 1] > n)
      throw Error("warpath::segment_sum: the offsets must ascend, from 0 to the rows of x at most");
  const bool max = args.kind == Kind::max;
  parallel_for(segments * cols, 64, [&](std::int64_t k) {
    const std::int64_t s = k / cols, c = k % cols, rows = offsets[s + 1] - offsets[s];
    double total = max ? -std::numeric_limits<double>::infinity() : 0, squares = 0;
    for (std::int64_t r = offsets[s]; r < offsets[s + 1]; ++r) {
      const double value = x[r * cols + c];
      total = !max ? total + value : total > value || std::isnan(total) ? total : value;
      squares += value * value;
    }
    const double by = args.kind == Kind::mean ? static_cast<double>(rows) : 1;
    args.y.as<double>()[k] = args.kind == Kind::mean ? total / by : total;
    scale.y.as<double>()[k] = (std::abs(total) + std::sqrt(squares)) / by;
  });
}

// Segments of all lengths: an eighth is empty. Where there are few, some are a thousand times as long as others.
static void prepare(const Args& args) {
  const std::int64_t n = args.x.shape[0], segments = args.y.shape[0];
  std::int64_t* const offsets = args.offsets.as<std::int64_t>();
  const auto weight = [&](std::int64_t s) {
    const std::int64_t bits = offsets[s];
    if (bits % 8 == 0) return 0.0;
    const auto part = static_cast<double>(bits / 8 % 64 + 1) / 64;
    return segments < 100 ? std::pow(part, 6) : part;
  };
  double all = 0, before = 0;
  for (std::int64_t s = 0; s < segments; ++s) all += weight(s);
  for (std::int64_t s = 0; s < segments; ++s) {
    const double mine = weight(s);
    offsets[s] = all > 0 ? static_cast<std::int64_t>(static_cast<double>(n) * before / all) : 0;
    before += mine;
  }
  offsets[segments] = all > 0 ? n : 0;
}

static Cost cost(const Args& args) {
  return {.flops = static_cast<double>(args.x.size()),
          .bytes = static_cast<double>(args.x.bytes() + args.offsets.bytes() + args.y.bytes())};
}

// A maximum is one of its inputs. A chain of additions errs by about the root of its length.
static Tolerance tolerance(const Args& args) {
  if (args.kind == Kind::max) return {.out_ulps = 0, .f32_ulps = 0};
  return {.out_ulps = 1, .f32_ulps = 8 + 0.8 * std::sqrt(static_cast<double>(args.x.shape[0]))};
}

static std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](const char* name, const char* kind, std::int64_t n, std::int64_t segments,
                       std::int64_t cols = 1, Case c = {}) {
    c.name = name;
    c.dims = {{"n", n}, {"segments", segments}, {"cols", cols}};
    c.scalars.emplace("kind", kind);
    all.push_back(std::move(c));
  };
  const std::map<std::string, DType> narrow = {{"offsets", DType::i32}};
  add("no segments", "sum", 100, 0);
  add("no rows", "sum", 0, 10);
  add("no rows, mean", "mean", 0, 10);
  add("no rows, max", "max", 0, 10);
  add("one", "sum", 1, 1);
  add("one segment", "sum", 40'001, 1);
  add("some long", "sum", 100'003, 40);
  add("some long, max", "max", 60'007, 30, 1, {.fill = Fill::special});
  add("some long, mean", "mean", 60'007, 30, 1, {.types = narrow});
  add("many short", "sum", 5003, 1000, 1, {.types = narrow});
  add("many short, max", "max", 20'011, 1000, 1, {.fill = Fill::low});
  add("as timed", "sum", 30'000, 470);
  add("misaligned", "mean", 9001, 130, 1, {.offset = 1});
  add("wide", "sum", 3001, 60, 1, {.fill = Fill::wide});
  add("special", "sum", 9001, 300, 1, {.fill = Fill::special});
  add("columns", "sum", 300, 20, 7);
  add("more columns", "mean", 200, 130, 65, {.types = narrow});
  add("columns, max", "max", 300, 50, 33, {.fill = Fill::special});
  add("64Mi in 1Mi", "sum", 64 << 20, 1 << 20, 1, {.bench = true});
  add("64Mi in 1Mi, max", "max", 64 << 20, 1 << 20, 1, {.dtypes = {DType::f32}, .bench = true});
  add("64Mi in 50", "sum", 64 << 20, 50, 1, {.dtypes = {DType::f32}, .bench = true});
  add("graph, 1Mi x 64 in 100k", "mean", 1 << 20, 100'003, 64,
      {.dtypes = {DType::f32, DType::bf16}, .bench = true});
  return all;
}

static void check(const Args& args) {
  check_offsets("offsets", args.offsets, args.x.shape[0]);
}

WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost, .tolerance = tolerance,
           .prepare = prepare, .check = check);

}  // namespace warpath::segment_sum
