#include "ops/attention/cache_write/cache_write.h"

#include <cmath>

#include "core/host/indices.h"
#include "core/host/parallel.h"
#include "core/host/registry.h"
#include "ops/attention/made_cache.h"
#include "ops/attention/reference_frequency.h"

namespace warpath::cache_write {

// One head of one token, from and to its first element.
static void write(const Args& args, const double* from, double* to, double* scale,
                  std::int64_t position, bool turned) {
  const std::int64_t dim = args.k.shape[3];
  std::int64_t rotary = args.rotary_dim ? args.rotary_dim : dim;
  if (!turned || args.pairs == Pairs::none) rotary = 0;
  const bool halves = args.pairs == Pairs::halves;
  for (std::int64_t d = 0; d < dim; ++d) {
    if (d >= rotary) {
      to[d] = from[d];
      scale[d] = 0;
      continue;
    }
    const std::int64_t i = halves ? d % (rotary / 2) : d / 2;
    const bool first = halves ? d < rotary / 2 : d % 2 == 0;
    const double other = from[halves ? (first ? d + rotary / 2 : d - rotary / 2) : d ^ 1];
    const double angle = static_cast<double>(position) * rope::reference_frequency(args, i, rotary);
    to[d] = from[d] * std::cos(angle) + (first ? -other : other) * std::sin(angle);
    scale[d] = std::abs(from[d]) + std::abs(other);
  }
}

static void reference(const Args& args, const Args& scale) {
  const std::int64_t tokens = args.k.shape[1], kv_heads = args.k.shape[2], dim = args.k.shape[3];
  parallel_for(args.k.shape[0] * tokens, 16, [&](std::int64_t token) {
    const std::int64_t b = token / tokens, t = token % tokens;
    const std::int64_t position = args.lengths.as<std::int64_t>()[b] - tokens + t;
    const auto all = [&](const Tensor& x, const Tensor& y, const Tensor& y_scale, std::int64_t row,
                         std::int64_t heads, bool turned) {
      for (std::int64_t h = 0; h < heads; ++h)
        write(args, x.as<double>() + (token * heads + h) * dim,
              y.as<double>() + (row * heads + h) * dim,
              y_scale.as<double>() + (row * heads + h) * dim, position, turned);
    };
    if (args.q.data) all(args.q, args.q_out, scale.q_out, token, args.q.shape[2], true);
    if (position < 0) return;
    const std::int64_t row = attention::cache_row(args.cache_k, args.block_table, b, position);
    all(args.k, args.cache_k, scale.cache_k, row, kv_heads, true);
    all(args.v, args.cache_v, scale.cache_v, row, kv_heads, false);
  });
}

// As rope counts it: an angle as at most half a turn, its sine and cosine, two products and a sum.
static Tolerance tolerance(const Args&) {
  return {.out_ulps = 1, .f32_ulps = 3.3};
}

// Each new element is read and written once.
static Cost cost(const Args& args) {
  const auto size_of = [](const Tensor& t) {
    return t.rank > 0 ? static_cast<double>(t.bytes()) : 0;
  };
  const double turned = size_of(args.k) + size_of(args.q);
  return {.flops = 3 * turned / static_cast<double>(warpath::size_of(args.k.dtype)),
          .bytes = 2 * (turned + size_of(args.v))};
}

static void prepare(const Args& args) {
  const std::int64_t capacity =
      args.cache_k.shape[1] * (args.block_table.data ? args.block_table.shape[1] : 1);
  attention::make_lengths(args.lengths, capacity);
  attention::make_table(args.block_table, args.lengths, args.cache_k);
}

static std::vector<Case> cases() {
  using attention::cache_case;
  const std::map<std::string, Value> llama3 = {{"base", 500000}, {"factor", 8}};
  const std::vector<std::string> no_queries = {"q", "q_out"};
  const auto all_are = [](Layout layout) {
    return std::map<std::string, Layout>{{"q", layout}, {"k", layout}, {"v", layout}};
  };
  std::vector<Case> all = {
      cache_case("empty", {0, 1, 2, 1, 8, 16, 1}),
      cache_case("one pair", {1, 1, 1, 1, 2, 1, 0}),
      cache_case("contiguous", {5, 1, 4, 2, 64, 30, 0}),
      cache_case("pages", {5, 1, 4, 2, 64, 16, 4}),
      cache_case("more tokens than some have", {4, 7, 3, 1, 32, 5, 6}),
      cache_case("neighbours", {5, 3, 4, 2, 64, 16, 3}, {.scalars = {{"pairs", "neighbours"}}}),
      cache_case("none", {5, 3, 4, 2, 40, 16, 3}, {.scalars = {{"pairs", "none"}}}),
      cache_case("keys only", {5, 3, 1, 2, 64, 16, 3}, {.without = no_queries}),
      cache_case("llama 3", {4, 2, 8, 2, 128, 500, 0}, {.scalars = llama3}),
      cache_case("part", {5, 2, 3, 2, 80, 16, 3}, {.scalars = {{"rotary_dim", 32}}}),
      cache_case("odd part", {5, 2, 3, 2, 31, 7, 3}, {.scalars = {{"rotary_dim", 10}}}),
      cache_case("odd part neighbours", {5, 2, 3, 2, 31, 7, 3},
                 {.scalars = {{"rotary_dim", 10}, {"pairs", "neighbours"}}}),
      cache_case("many heads", {2, 1, 80, 8, 128, 16, 2}),
      cache_case("misaligned", {4, 2, 3, 1, 64, 16, 3}, {.offset = 1}),
      cache_case("parts of rows", {5, 1, 4, 2, 64, 16, 4}, {.layouts = all_are(Layout::padded)}),
      cache_case("heads first", {3, 2, 4, 2, 64, 16, 4}, {.layouts = all_are(Layout::heads_first)}),
      cache_case("spread", {3, 2, 3, 2, 32, 16, 2}, {.layouts = all_are(Layout::spread)}),
      cache_case("special", {5, 3, 4, 2, 64, 16, 3}, {.fill = Fill::special}),
  };
  const auto timed = [&](const char* name, attention::CacheSizes s) {
    all.push_back(cache_case(name, s, {.scalars = llama3, .dtypes = {DType::bf16}, .bench = true}));
  };
  timed("8B, 16 sequences", {16, 1, 32, 8, 128, 64, 64});
  timed("8B, 16k tokens", {4, 4096, 32, 8, 128, 64, 64});
  return all;
}

static void check(const Args& args) {
  check_pages(args.lengths, args.block_table, args.cache_k.shape[0], args.cache_k.shape[1],
              [&](std::int64_t length) { return length - args.k.shape[1]; });
}

WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost, .tolerance = tolerance,
           .prepare = prepare, .check = check);

}  // namespace warpath::cache_write
