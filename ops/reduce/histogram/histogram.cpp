#include "ops/reduce/histogram/histogram.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "core/host/parallel.h"
#include "core/host/registry.h"

namespace warpath::histogram {

// In float, step by step as the contract says: counts are exact.
static std::int64_t bin_of(float x, const std::vector<float>& edges, Spacing spacing) {
  const auto bins = static_cast<std::int64_t>(edges.size()) - 1;
  const float first = edges.front(), last = edges.back();
  if (!(x >= first && x <= last)) return -1;
  if (spacing == Spacing::any) {
    const auto above = std::upper_bound(edges.begin(), edges.end(), x);
    return std::min(static_cast<std::int64_t>(above - edges.begin()), bins) - 1;
  }
  const float scale = last > first ? static_cast<float>(bins) / (last - first) : 0.0f;
  const float from_first = x - first;
  return std::min(static_cast<std::int64_t>(from_first * scale), bins - 1);
}

static void reference(const Args& args, const Args&) {
  const std::int64_t bins = args.y.size();
  auto* const y = args.y.as<std::int64_t>();
  std::fill(y, y + bins, 0);
  if (bins == 0) return;
  const double* const x = args.x.as<double>();
  const std::vector<float> edges(args.edges.as<double>(), args.edges.as<double>() + bins + 1);
  std::mutex lock;
  parallel_for(args.x.size(), 1 << 22, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t> mine(static_cast<std::size_t>(bins));
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t bin = bin_of(static_cast<float>(x[i]), edges, args.spacing);
      if (bin >= 0) ++mine[static_cast<std::size_t>(bin)];
    }
    const std::lock_guard hold(lock);
    for (std::int64_t b = 0; b < bins; ++b) y[b] += mine[static_cast<std::size_t>(b)];
  });
}

// Edges for what was drawn. Random floats get -4 to 4, and those far below zero bins of which one holds nearly all. Bytes
// get 0 to 256, other integers their own range, so that the largest lies on the last edge. Where there are 128 bins, each
// value is the number of its bin: what a kernel counts that knows of no edges.
static void prepare(const Args& args) {
  double* const x = args.x.as<double>();
  const std::int64_t bins = args.y.size();
  if (bins == 128) {
    for (std::int64_t i = 0; i < args.x.size(); ++i)
      x[i] = std::fmod(std::floor(std::fabs(x[i])), 128);
    double* const edges = args.edges.as<double>();
    for (std::int64_t b = 0; b <= bins; ++b) edges[b] = static_cast<double>(b);
    return;
  }
  double least = 0, most = 0;
  bool whole = true, any = false;
  for (std::int64_t i = 0; i < args.x.size(); ++i) {
    if (!std::isfinite(x[i])) continue;
    least = any ? std::min(least, x[i]) : x[i];
    most = any ? std::max(most, x[i]) : x[i];
    whole = whole && std::floor(x[i]) == x[i];
    any = true;
  }
  double first = -4, last = 4;
  if (!any) {
    first = 0, last = 1;
  } else if (whole) {
    const bool bytes = least >= 0 && most < 256;
    first = bytes ? 0 : least, last = bytes ? 256 : std::max(most, least + 1);
  } else if (most < -100) {
    first = -1028, last = 1020;
  }
  double* const edges = args.edges.as<double>();
  for (std::int64_t b = 0; b <= bins; ++b) {
    const double part =
        static_cast<double>(b) / static_cast<double>(std::max<std::int64_t>(bins, 1));
    edges[b] = first + (last - first) * (args.spacing == Spacing::any ? part * part : part);
  }
}

static Cost cost(const Args& args) {
  const bool all_edges = args.spacing == Spacing::any;
  return {.flops = 2.0 * static_cast<double>(args.x.size()),
          .bytes = static_cast<double>(args.x.bytes() + args.y.bytes() +
                                       (all_edges ? args.edges.bytes() : 8))};
}

static std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](const char* name, std::int64_t n, std::int64_t bins, Case c = {}) {
    c.name = name;
    c.dims = {{"n", n}, {"bins", bins}};
    all.push_back(std::move(c));
  };
  const std::vector<DType> floats = {DType::f32};
  const std::map<std::string, Value> any = {{"spacing", "any"}};
  add("empty", 0, 10);
  add("one", 1, 1);
  add("no bins", 100, 0);
  add("one bin", 10'007, 1);
  add("two bins", 999, 2);
  add("warp+1", 33, 32);
  add("256 bins", 50'000, 256);
  add("255 bins", 3001, 255);
  add("257 bins", 9001, 257);
  add("values are bins", 6001, 128);
  add("misaligned", 20'003, 100, {.offset = 1});
  add("nearly one bin", 60'001, 256, {.fill = Fill::low, .dtypes = floats});
  add("ties", 300'007, 64, {.fill = Fill::ties});
  add("special", 5000, 40, {.fill = Fill::special, .dtypes = floats});
  add("wide", 5000, 500, {.fill = Fill::wide});
  add("5000 bins", 20'000, 5000);
  add("65536 bins", 30'000, 65536);
  add("65536 bins, ties", 200'003, 65536, {.fill = Fill::ties, .dtypes = {DType::i32}});
  add("65535 bins, any edges", 20'001, 65535, {.scalars = any, .dtypes = floats});
  add("any edges", 10'007, 100, {.scalars = any});
  add("any edges special", 5000, 37, {.fill = Fill::special, .scalars = any, .dtypes = floats});
  add("any ties", 5000, 300, {.fill = Fill::ties, .scalars = any});
  const std::vector<DType> timed = {DType::f32, DType::u8};
  add("256Mi, 256 bins", 256 << 20, 256, {.dtypes = timed, .bench = true});
  add("256Mi, nearly one bin", 256 << 20, 256,
      {.fill = Fill::low, .dtypes = floats, .bench = true});
  add("256Mi, four values", 256 << 20, 256, {.fill = Fill::ties, .dtypes = timed, .bench = true});
  add("256Mi, 4096 bins", 256 << 20, 4096, {.dtypes = floats, .bench = true});
  add("256Mi, 65536 bins", 256 << 20, 65536, {.dtypes = floats, .bench = true});
  add("100M, 1000 bins", 100'000'007, 1000, {.dtypes = {DType::i32}, .bench = true});
  return all;
}

WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost, .prepare = prepare);

}  // namespace warpath::histogram
