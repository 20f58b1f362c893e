#include "ops/attention/qk/qk.h"

#include <cmath>

#include "core/host/parallel.h"
#include "core/host/registry.h"
#include "ops/attention/visible.h"

namespace warpath::qk {

static void reference(const Args& args, const Args& scale) {
  const std::int64_t queries = args.q.shape[1], heads = args.q.shape[2], dim = args.q.shape[3];
  const std::int64_t keys = args.k.shape[1], kv_heads = args.k.shape[2];
  const double by = args.scale != 0 ? args.scale : 1 / std::sqrt(static_cast<double>(dim));
  const attention::Visible visible{static_cast<int>(queries), static_cast<int>(keys), args.causal,
                                   0};
  parallel_for(args.q.shape[0] * heads * queries, 4, [&](std::int64_t row) {
    const std::int64_t b = row / queries / heads, h = row / queries % heads, i = row % queries;
    const double* q = args.q.as<double>() + ((b * queries + i) * heads + h) * dim;
    for (std::int64_t j = 0; j < keys; ++j) {
      const double* k =
          args.k.as<double>() + ((b * keys + j) * kv_heads + h / (heads / kv_heads)) * dim;
      double sum = 0, size = 0;
      for (std::int64_t d = 0; d < dim; ++d) {
        sum += q[d] * k[d];
        size += std::abs(q[d] * k[d]);
      }
      const bool seen = j < visible.of(static_cast<int>(i)).last;
      args.scores.as<double>()[row * keys + j] = seen ? by * sum : -INFINITY;
      scale.scores.as<double>()[row * keys + j] = std::abs(by) * size;
    }
  });
}

// A chain of n additions errs by about sqrt(n) roundings.
static Tolerance tolerance(const Args& args) {
  return {.out_ulps = 1, .f32_ulps = 2 + std::sqrt(static_cast<double>(args.q.shape[3]))};
}

static Cost cost(const Args& args) {
  return {.flops = 2 * static_cast<double>(args.scores.size() * args.q.shape[3]),
          .bytes = static_cast<double>(args.q.bytes() + args.k.bytes() + args.scores.bytes())};
}

static std::vector<Case> cases() {
  struct Sizes {
    std::int64_t batch, queries, keys, heads, kv_heads, dim;
  };
  const auto sized = [](const char* name, Sizes s, Case c = {}) {
    c.name = name;
    c.dims = {{"batch", s.batch}, {"queries", s.queries},   {"keys", s.keys},
              {"heads", s.heads}, {"kv_heads", s.kv_heads}, {"dim", s.dim}};
    return c;
  };
  const std::map<std::string, Value> causal = {{"causal", true}};
  std::vector<Case> all = {
      sized("empty", {0, 3, 3, 1, 1, 8}),
      sized("one", {1, 1, 1, 1, 1, 1}, {.scalars = {{"scale", 3}}}),
      sized("tile", {1, 64, 64, 1, 1, 64}),
      sized("tile+1", {1, 65, 65, 2, 1, 17}, {.scalars = causal}),
      sized("tile-1", {2, 63, 63, 2, 2, 15}),
      sized("causal", {2, 33, 33, 3, 3, 20}, {.scalars = causal}),
      sized("more keys", {1, 5, 100, 4, 2, 64}, {.scalars = causal}),
      sized("more queries", {1, 70, 9, 2, 1, 32}, {.scalars = causal}),
      sized("misaligned", {1, 20, 20, 2, 1, 33}, {.offset = 1}),
      sized("special", {1, 30, 40, 2, 2, 16}, {.fill = Fill::special}),
      sized("wide", {1, 30, 40, 2, 2, 16}, {.fill = Fill::wide, .dtypes = {DType::f32}}),
  };
  for (const DType dtype : {DType::f32, DType::bf16})
    all.push_back(sized(dtype == DType::f32 ? "2k, 16 heads, f32" : "2k, 16 heads",
                        {1, 2048, 2048, 16, 16, 64}, {.dtypes = {dtype}, .bench = true}));
  return all;
}

WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost, .tolerance = tolerance);

}  // namespace warpath::qk
