#include "ops/order/merge/merge.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/host/registry.h"

namespace warpath::merge {

static void reference(const Args& args, const Args&) {
  check_values(args);
  const double *const a = args.a.as<double>(), *const b = args.b.as<double>();
  const std::int64_t n = args.a.size(), m = args.b.size();
  for (std::int64_t i = 0, j = 0; i + j < n + m;) {
    const std::int64_t at = i + j;
    const bool from_b = j < m && (i == n || comes_before(args.comparison, b[j], a[i]));
    args.y.as<double>()[at] = from_b ? b[j] : a[i];
    if (args.has_values())
      args.y_values.as<std::int64_t>()[at] =
          from_b ? args.b_values.as<std::int64_t>()[j] : args.a_values.as<std::int64_t>()[i];
    ++(from_b ? j : i);
  }
}

static void prepare(const Args& args) {
  for (const Tensor& t : {args.a, args.b})
    std::stable_sort(t.as<double>(), t.as<double>() + t.size(),
                     [&](double x, double y) { return comes_before(args.comparison, x, y); });
}

// Elements are copied.
static Tolerance tolerance(const Args&) {
  return {.out_ulps = 0, .f32_ulps = 0};
}

static Cost cost(const Args& args) {
  double bytes = 2.0 * static_cast<double>(args.y.bytes());
  if (args.has_values()) bytes += 2.0 * static_cast<double>(args.y_values.bytes());
  return {.flops = 0, .bytes = bytes};
}

static std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](std::string name, std::int64_t n, std::int64_t m, bool pairs, Case c = {}) {
    c.name = std::move(name);
    c.dims = {{"n", n}, {"m", m}, {"n_values", n}, {"m_values", m}};
    if (!pairs) c.without = {"a_values", "b_values", "y_values"};
    all.push_back(std::move(c));
  };
  const std::map<std::string, Value> descending = {{"comparison", "descending"}},
                                     magnitude = {{"comparison", "magnitude"}};
  add("nothing", 0, 0, true);
  add("one", 1, 0, true);
  add("only b", 0, 77, true);
  add("only a", 300, 0, false);
  add("two", 1, 1, true);
  add("keys", 1000, 1200, false);
  add("pairs", 1500, 900, true);
  add("prime", 10007, 5003, true, {.scalars = descending});
  add("tile-1", 2176, 2175, false);
  add("tile", 2176, 2176, true);
  add("tile+1", 1, 4352, true, {.scalars = magnitude});
  add("long and short", 13, 20011, true);
  add("ties", 5001, 4999, true, {.fill = Fill::ties});
  add("ties by magnitude", 3000, 1700, true, {.fill = Fill::ties, .scalars = magnitude});
  add("special", 3000, 2500, true, {.fill = Fill::special});
  add("special descending", 900, 2500, true, {.fill = Fill::special, .scalars = descending});
  add("special by magnitude", 900, 250, false, {.fill = Fill::special, .scalars = magnitude});
  add("extreme", 700, 800, true, {.fill = Fill::extreme});
  add("extreme by magnitude", 700, 800, true, {.fill = Fill::extreme, .scalars = magnitude});
  add("misaligned", 4099, 3000, true, {.offset = 1});
  const std::vector<DType> timed = {DType::i32, DType::f32};
  add("keys 32Mi + 32Mi", 32 << 20, 32 << 20, false, {.dtypes = timed, .bench = true});
  add("pairs 32Mi + 32Mi", 32 << 20, 32 << 20, true, {.dtypes = timed, .bench = true});
  add("pairs 40000003 + 999", 40000003, 999, true, {.dtypes = {DType::i32}, .bench = true});
  return all;
}

WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost, .tolerance = tolerance,
           .prepare = prepare);

}  // namespace warpath::merge
