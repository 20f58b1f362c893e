#include "ops/elementwise/matrix_add/matrix_add.h"

#include "core/host/parallel.h"
#include "core/host/registry.h"

namespace warpath::matrix_add {

// The harness hands every tensor over in rows, whatever its layout in the case.
static void reference(const Args& args, const Args&) {
  const double* a = args.a.as<double>();
  const double* b = args.b.as<double>();
  double* c = args.c.as<double>();
  parallel_for(args.c.size(), 1 << 16, [=](std::int64_t i) { c[i] = a[i] + b[i]; });
}

static Cost cost(const Args& args) {
  return {.flops = static_cast<double>(args.c.size()),
          .bytes = 3.0 * static_cast<double>(args.c.bytes())};
}

static std::vector<Case> cases() {
  const auto sized = [](const char* name, std::int64_t rows, std::int64_t cols, Case c = {}) {
    c.name = name;
    c.dims = {{"rows", rows}, {"cols", cols}};
    return c;
  };
  const auto laid_out = [](Layout a, Layout b) {
    return std::map<std::string, Layout>{{"a", a}, {"b", b}};
  };
  using enum Layout;
  return {
      sized("empty", 0, 8),
      sized("no columns", 5, 0),
      sized("one", 1, 1),
      sized("one row", 1, 1000),
      sized("one column", 1000, 1),
      sized("square", 64, 64),
      sized("tile+1", 33, 129),
      sized("tile-1", 15, 255),
      sized("wide", 3, 2053),
      sized("padded", 37, 72, {.layouts = laid_out(padded, padded)}),
      sized("padded odd", 37, 73, {.layouts = laid_out(padded, rows)}),
      sized("in columns", 50, 40, {.layouts = laid_out(rows, columns)}),
      sized("spread", 20, 48, {.layouts = laid_out(spread, padded_columns)}),
      sized("misaligned", 21, 64, {.layouts = laid_out(padded, rows), .offset = 1}),
      sized("extreme", 40, 50, {.fill = Fill::extreme}),
      sized("special", 40, 50, {.fill = Fill::special}),
      sized("8192x8192", 8192, 8192, {.bench = true}),
      sized("8191x8193", 8191, 8193, {.dtypes = {DType::bf16}, .bench = true}),
      sized("8192x8192 padded", 8192, 8192, {.layouts = laid_out(padded, padded), .bench = true}),
  };
}

WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost);

}  // namespace warpath::matrix_add
