#include "ops/order/merge_sort/merge_sort.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "core/host/registry.h"

namespace warpath::merge_sort {

static void reference(const Args& args, const Args&) {
  check_values(args);
  const double* const keys = args.keys.as<double>();
  std::vector<std::int64_t> order(static_cast<std::size_t>(args.keys.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) {
    return comes_before(args.comparison, keys[i], keys[j]);
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    args.y.as<double>()[i] = keys[order[i]];
    if (args.has_values())
      args.y_values.as<std::int64_t>()[i] = args.values.as<std::int64_t>()[order[i]];
  }
}

// Elements are copied.
static Tolerance tolerance(const Args&) {
  return {.out_ulps = 0, .f32_ulps = 0};
}

// Each key is read once and written once: no sort by comparison of a long array can do that, so the roofline is far away. The
// comparisons count as operations, log2(n!) of them at least.
static Cost cost(const Args& args) {
  const auto n = static_cast<double>(args.keys.size());
  double bytes = 2.0 * static_cast<double>(args.y.bytes());
  if (args.has_values()) bytes += 2.0 * static_cast<double>(args.y_values.bytes());
  return {.flops = std::lgamma(n + 1) / std::log(2.0), .bytes = bytes};
}

static std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](std::string name, std::int64_t n, bool pairs, Case c = {}) {
    c.name = std::move(name);
    c.dims = {{"n", n}, {"n_values", n}};
    if (!pairs) c.without = {"values", "y_values"};
    all.push_back(std::move(c));
  };
  const std::map<std::string, Value> descending = {{"comparison", "descending"}},
                                     magnitude = {{"comparison", "magnitude"}};
  add("nothing", 0, true);
  add("one", 1, true);
  add("two", 2, true, {.scalars = descending});
  add("three", 3, false);
  add("thread+1", 18, true);
  add("warp of threads", 545, true);
  add("tile-1", 8703, false);
  add("tile", 8704, true, {.scalars = descending});
  add("tile+1", 8705, true);
  add("prime", 20011, true, {.scalars = magnitude});
  add("several passes", 40000, true);
  add("ties", 10000, true, {.fill = Fill::ties});
  add("ties by magnitude", 9000, true, {.fill = Fill::ties, .scalars = magnitude});
  add("sorted", 9000, true, {.fill = Fill::ramp});
  add("reversed", 9000, true, {.fill = Fill::ramp, .scalars = descending});
  add("special", 5000, true, {.fill = Fill::special});
  add("special descending", 3000, true, {.fill = Fill::special, .scalars = descending});
  add("extreme", 700, true, {.fill = Fill::extreme});
  add("extreme descending", 800, true, {.fill = Fill::extreme, .scalars = descending});
  add("extreme by magnitude", 700, true, {.fill = Fill::extreme, .scalars = magnitude});
  add("misaligned", 9001, true, {.offset = 1});
  const std::vector<DType> timed = {DType::i32, DType::f32};
  add("keys 16Mi", 16 << 20, false, {.dtypes = timed, .bench = true});
  add("pairs 16Mi", 16 << 20, true, {.dtypes = timed, .bench = true});
  add("pairs 1000003", 1000003, true, {.dtypes = {DType::i32}, .bench = true});
  return all;
}

WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost, .tolerance = tolerance);

}  // namespace warpath::merge_sort
