#include "ops/layout/transpose/transpose.h"

#include "core/host/parallel.h"
#include "core/host/registry.h"

namespace warpath::transpose {

static void reference(const Args& args, const Args&) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  const double* x = args.x.as<double>();
  double* y = args.y.as<double>();
  // Square patches: a plain double loop would miss the cache on every element of the big cases.
  constexpr std::int64_t patch = 32;
  const std::int64_t patches_down = (rows + patch - 1) / patch;
  parallel_for((cols + patch - 1) / patch, 8, [=](std::int64_t right) {
    for (std::int64_t down = 0; down < patches_down; ++down)
      for (std::int64_t c = right * patch; c < std::min(cols, (right + 1) * patch); ++c)
        for (std::int64_t r = down * patch; r < std::min(rows, (down + 1) * patch); ++r)
          y[c * rows + r] = x[r * cols + c];
  });
}

static Cost cost(const Args& args) {
  return {.flops = 0, .bytes = 2.0 * static_cast<double>(args.x.bytes())};
}

static Tolerance tolerance(const Args&) {
  return {.out_ulps = 0, .f32_ulps = 0};
}

static std::vector<Case> cases() {
  const auto sized = [](const char* name, std::int64_t rows, std::int64_t cols) {
    return Case{.name = name, .dims = {{"rows", rows}, {"cols", cols}}, .fill = Fill::ramp};
  };
  std::vector<Case> all = {
      sized("empty", 0, 5),
      sized("one", 1, 1),
      sized("row", 1, 1000),
      sized("column", 1000, 1),
      sized("tile", 64, 64),
      sized("tile-1", 63, 63),
      sized("tile+1", 65, 65),
      sized("prime", 131, 257),
      sized("wide", 7, 5000),
      sized("tall", 5000, 7),
      sized("aligned", 256, 320),
      sized("whole tiles", 128, 256),
      sized("parts of tiles", 200, 328),
      sized("rows aligned", 256, 333),
      sized("cols aligned", 333, 256),
  };
  all.push_back({.name = "misaligned", .dims = {{"rows", 128}, {"cols", 192}}, .offset = 1});
  all.push_back({.name = "half-aligned", .dims = {{"rows", 100}, {"cols", 132}}, .offset = 2});
  all.push_back({.name = "special", .dims = {{"rows", 70}, {"cols", 90}}, .fill = Fill::special});
  all.push_back(
      {.name = "special tiles", .dims = {{"rows", 64}, {"cols", 256}}, .fill = Fill::special});
  all.push_back({.name = "8192x8192", .dims = {{"rows", 8192}, {"cols", 8192}}, .bench = true});
  all.push_back({.name = "8191x4097", .dims = {{"rows", 8191}, {"cols", 4097}}, .bench = true});
  return all;
}

WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost, .tolerance = tolerance);

}  // namespace warpath::transpose
