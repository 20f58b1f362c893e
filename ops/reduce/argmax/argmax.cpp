#include "ops/reduce/argmax/argmax.h"

#include <cmath>

#include "core/host/parallel.h"
#include "core/host/registry.h"

namespace warpath::argmax {

static void reference(const Args& args, const Args&) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  const double* const x = args.x.as<double>();
  const bool min = args.kind == Kind::min;
  parallel_for(rows, 16, [&](std::int64_t r) {
    const double* const row = x + r * cols;
    std::int64_t best = cols > 0 ? 0 : -1;
    for (std::int64_t c = 1; c < cols && !std::isnan(row[best]); ++c)
      if (std::isnan(row[c]) || (min ? row[c] < row[best] : row[c] > row[best])) best = c;
    args.y.as<std::int64_t>()[r] = best;
  });
}

static Cost cost(const Args& args) {
  return {.flops = static_cast<double>(args.x.size()),
          .bytes = static_cast<double>(args.x.bytes() + args.y.bytes())};
}

static std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Kind kind : {Kind::max, Kind::min}) {
    const bool max = kind == Kind::max;
    const auto add = [&](const char* name, std::int64_t rows, std::int64_t cols, Case c = {}) {
      c.name = std::string(max ? "max " : "min ") + name;
      c.dims = {{"rows", rows}, {"cols", cols}};
      c.scalars = {{"kind", max ? "max" : "min"}};
      all.push_back(std::move(c));
    };
    const std::vector<DType> floats = {DType::f32, DType::f16, DType::bf16};
    const std::map<std::string, Layout> columns = {{"x", Layout::columns}};
    add("prime", 1, 10'007);
    add("ties", 9, 3001, {.fill = Fill::ties});
    add("special", 200, 301, {.fill = Fill::special, .dtypes = floats});
    add("low", 30, 37, {.fill = Fill::low});
    add("columns", 70, 133, {.fill = Fill::ties, .layouts = columns});
    add("extreme", 20, 999, {.fill = Fill::extreme});
    if (!max) continue;
    add("one", 1, 1);
    add("warp+1", 1, 33);
    add("block+1", 1, 257);
    add("no rows", 0, 10);
    add("no columns", 5, 0);
    add("short rows", 500, 7);
    add("short special", 700, 3, {.fill = Fill::special, .dtypes = floats});
    add("rows of one", 300, 1);
    add("rows", 37, 1025);
    add("aligned rows", 20, 4096, {.fill = Fill::ties});
    add("ramp", 3, 5003, {.fill = Fill::ramp});
    add("long row", 1, 150'001, {.fill = Fill::ties});
    add("long rows", 3, 40'003);
    add("misaligned", 3, 20'003, {.fill = Fill::ties, .offset = 1});
    add("padded", 9, 1031, {.layouts = {{"x", Layout::padded}}});
    add("few columns", 64, 5, {.layouts = columns});
    add("long columns", 96, 700, {.fill = Fill::special, .dtypes = floats, .layouts = columns});
    add("padded columns", 33, 100, {.layouts = {{"x", Layout::padded_columns}}, .offset = 1});
    add("spread", 5, 600, {.layouts = {{"x", Layout::spread}}});
    add("256Mi", 1, 256 << 20, {.bench = true});
    add("65536x4096", 65536, 4096, {.bench = true});
    add("greedy 256x128256", 256, 128256, {.dtypes = {DType::f32, DType::bf16}, .bench = true});
    add("first axis 4096x65536", 65536, 4096,
        {.dtypes = {DType::f32, DType::bf16}, .layouts = columns, .bench = true});
  }
  return all;
}

WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost);

}  // namespace warpath::argmax
