#include "ops/elementwise/vector_add/vector_add.h"

#include "core/host/parallel.h"
#include "core/host/registry.h"

namespace warpath::vector_add {

static void reference(const Args& args, const Args&) {
  const double* a = args.a.as<double>();
  const double* b = args.b.as<double>();
  double* c = args.c.as<double>();
  parallel_for(args.c.size(), 1 << 16, [=](std::int64_t i) { c[i] = a[i] + b[i]; });
}

static Cost cost(const Args& args) {
  const double n = static_cast<double>(args.c.size());
  return {.flops = n, .bytes = 3 * n * static_cast<double>(size_of(args.c.dtype))};
}

static std::vector<Case> cases() {
  return {
      {.name = "empty", .dims = {{"n", 0}}},
      {.name = "one", .dims = {{"n", 1}}},
      {.name = "warp-1", .dims = {{"n", 31}}},
      {.name = "block+1", .dims = {{"n", 257}}},
      {.name = "prime", .dims = {{"n", 10007}}},
      {.name = "even", .dims = {{"n", 1 << 16}}},
      {.name = "long", .dims = {{"n", (1 << 20) + 3}}},
      {.name = "misaligned", .dims = {{"n", 4099}}, .offset = 1},
      {.name = "half-aligned", .dims = {{"n", 4096}}, .offset = 2},
      {.name = "extreme", .dims = {{"n", 5000}}, .fill = Fill::extreme},
      {.name = "special", .dims = {{"n", 5000}}, .fill = Fill::special},
      {.name = "64Mi", .dims = {{"n", 64 << 20}}, .bench = true},
  };
}

WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost);

}  // namespace warpath::vector_add
