#include "ops/layout/embedding/embedding.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/host/error.h"
#include "core/host/indices.h"
#include "core/host/parallel.h"
#include "core/host/registry.h"

namespace warpath::embedding {

static void forward_reference(const Forward& args, const Forward& scale) {
  const std::int64_t seq = args.ids.shape[1], width = args.table.shape[1];
  const std::int64_t* const ids = args.ids.as<std::int64_t>();
  const bool position = args.position_table.rank > 0, given = args.positions.rank > 0;
  parallel_for(args.ids.size(), 16, [&](std::int64_t t) {
    const std::int64_t at = given ? args.positions.as<std::int64_t>()[t] : t % seq;
    const double* const row = args.table.as<double>() + ids[t] * width;
    for (std::int64_t c = 0; c < width; ++c) {
      const double extra = position ? args.position_table.as<double>()[at * width + c] : 0;
      args.y.as<double>()[t * width + c] = position ? row[c] + extra : row[c];
      scale.y.as<double>()[t * width + c] = position ? std::abs(row[c]) + std::abs(extra) : 0;
    }
  });
}

static void backward_reference(const Backward& args, const Backward& scale) {
  const std::int64_t width = args.dtable.shape[1];
  const std::int64_t* const ids = args.ids.as<std::int64_t>();
  double* const sum = args.dtable.as<double>();
  double* const magnitude = scale.dtable.as<double>();
  for (std::int64_t i = 0; i < args.dtable.size(); ++i) sum[i] = magnitude[i] = 0;
  for (std::int64_t t = 0; t < args.ids.size(); ++t) {
    if (ids[t] == args.padding_idx) continue;
    for (std::int64_t c = 0; c < width; ++c) {
      const double d = args.dy.as<double>()[t * width + c];
      sum[ids[t] * width + c] += d;
      magnitude[ids[t] * width + c] += std::abs(d);
    }
  }
}

// Ids as text has them: few rows get most of the tokens. With u uniform in [0, 1), row vocabulary * u^3 is taken: row 0
// gets vocabulary^(-1/3) of all tokens, 3% of them for GPT-2's vocabulary.
static void draw_ids(const Tensor& ids, std::int64_t vocabulary) {
  std::int64_t* const at = ids.as<std::int64_t>();
  for (std::int64_t t = 0; t < ids.size(); ++t) {
    const double u = static_cast<double>(at[t]) * 0x1p-31;
    at[t] = static_cast<std::int64_t>(static_cast<double>(vocabulary) * u * u * u);
  }
}
static void prepare(const Forward& args) {
  draw_ids(args.ids, args.table.shape[0]);
  if (args.positions.rank == 0) return;
  std::int64_t* const at = args.positions.as<std::int64_t>();
  for (std::int64_t t = 0; t < args.positions.size(); ++t) at[t] %= args.position_table.shape[0];
}
static void prepare(const Backward& args) {
  draw_ids(args.ids, args.table.shape[0]);
}

// How many different rows such ids name, in the mean.
static double expected_rows(std::int64_t tokens, std::int64_t vocabulary) {
  double rows = 0, below = 0;
  for (std::int64_t v = 1; v <= vocabulary; ++v) {
    const double share = std::cbrt(static_cast<double>(v) / static_cast<double>(vocabulary));
    rows -= std::expm1(-static_cast<double>(tokens) * (share - below));
    below = share;
  }
  return rows;
}

// A copy must be exact; a sum of two numbers is rounded once.
static Tolerance tolerance(const Forward& args) {
  return {.out_ulps = args.position_table.rank > 0 ? 1.0 : 0.0, .f32_ulps = 0};
}
// Measured against the sum of magnitudes. With terms of random sign the roundings of a chain of additions stay at about
// one unit of that sum, whatever its length.
static Tolerance tolerance(const Backward&) {
  return {.out_ulps = 1, .f32_ulps = 8};
}

static Cost cost(const Forward& args) {
  const auto row =
      static_cast<double>(args.table.shape[1]) * static_cast<double>(size_of(args.table.dtype));
  const bool position = args.position_table.rank > 0, given = args.positions.rank > 0;
  double bytes = static_cast<double>(args.ids.bytes() + args.y.bytes()) +
                 row * expected_rows(args.ids.size(), args.table.shape[0]);
  if (position) bytes += row * static_cast<double>(args.ids.shape[1]);
  if (given) bytes += static_cast<double>(args.positions.bytes());
  return {.flops = position ? static_cast<double>(args.y.size()) : 0, .bytes = bytes};
}
static Cost cost(const Backward& args) {
  return {.flops = static_cast<double>(args.dy.size()),
          .bytes = static_cast<double>(args.dy.bytes() + args.ids.bytes() + args.dtable.bytes())};
}

static Case sized(const char* name, std::int64_t batch, std::int64_t seq, std::int64_t width,
                  std::int64_t vocabulary, Case c = {}) {
  c.name = name;
  c.dims = {{"batch", batch}, {"seq", seq}, {"width", width}, {"vocabulary", vocabulary}};
  return c;
}

static std::vector<Case> forward_cases() {
  const std::vector<std::string> no_positions = {"positions"};
  const std::vector<std::string> table_alone = {"positions", "position_table"};
  const std::map<std::string, DType> narrow = {{"ids", DType::i32}};
  std::vector<Case> all = {
      sized("empty", 0, 8, 16, 5, {.without = no_positions}),
      sized("one", 1, 1, 1, 1, {.without = no_positions}),
      sized("table alone", 3, 17, 64, 50, {.without = table_alone}),
      sized("positions", 3, 17, 64, 50),
      sized("positions i32", 2, 31, 72, 300, {.types = narrow}),
      sized("own place", 5, 13, 128, 200, {.without = no_positions}),
      sized("own place i32", 9, 7, 8, 30, {.without = no_positions, .types = narrow}),
      sized("odd width", 4, 9, 131, 40, {.without = no_positions}),
      sized("narrow", 2, 300, 3, 10, {.without = table_alone, .types = narrow}),
      sized("misaligned", 2, 9, 96, 33, {.without = no_positions, .offset = 1}),
      sized("half-aligned", 2, 9, 96, 33, {.without = table_alone, .offset = 2}),
      sized("wide", 3, 4, 1288, 7, {.without = no_positions}),
      sized("special", 4, 30, 24, 60, {.fill = Fill::special}),
      sized("special alone", 4, 30, 24, 60, {.fill = Fill::special, .without = table_alone}),
  };
  const std::vector<DType> timed = {DType::f32, DType::bf16};
  all.push_back(sized("GPT-2 table alone", 64, 1024, 768, 50257,
                      {.without = table_alone, .dtypes = timed, .bench = true}));
  all.push_back(sized("GPT-2", 64, 1024, 768, 50257,
                      {.without = no_positions, .dtypes = timed, .bench = true}));
  all.push_back(sized("Llama 3", 8, 2048, 4096, 128256,
                      {.without = table_alone, .dtypes = {DType::bf16}, .bench = true}));
  for (Case& c : all) c.dims["context"] = std::max<std::int64_t>(c.dims["seq"], 20);
  return all;
}

static std::vector<Case> backward_cases() {
  const std::map<std::string, DType> narrow = {{"ids", DType::i32}};
  std::vector<Case> all = {
      sized("no tokens", 0, 8, 16, 5),
      sized("one", 1, 1, 1, 1),
      sized("few tokens", 3, 5, 64, 300),
      sized("prime", 7, 11, 131, 40, {.types = narrow}),
      sized("all ids equal", 5, 300, 16, 1),
      sized("three rows", 4, 1100, 8, 3, {.types = narrow}),
      sized("33 times", 2, 33, 24, 2),
      sized("as text", 3, 700, 24, 500),
      sized("padding", 4, 50, 40, 30, {.scalars = {{"padding_idx", 2}}}),
      sized("padding first", 3, 90, 17, 9, {.scalars = {{"padding_idx", 0}}, .types = narrow}),
      sized("misaligned", 2, 60, 96, 33, {.offset = 1}),
      sized("half-aligned", 2, 60, 96, 33, {.offset = 2}),
      sized("wide", 2, 40, 1288, 7),
      sized("special", 4, 100, 24, 60, {.fill = Fill::special, .scalars = {{"padding_idx", 1}}}),
  };
  const std::vector<DType> timed = {DType::f32, DType::bf16};
  all.push_back(sized("GPT-2", 64, 1024, 768, 50257, {.dtypes = timed, .bench = true}));
  all.push_back(sized("Llama 3", 8, 2048, 4096, 128256, {.dtypes = {DType::bf16}, .bench = true}));
  all.push_back(sized("positions", 64, 1024, 768, 1024, {.dtypes = timed, .bench = true}));
  return all;
}

static void check(const Forward& args) {
  check_indices("ids", args.ids, 0, args.table.shape[0] - 1);
  check_positions(args);
  if (args.position_table.rank > 0)
    check_indices("positions", args.positions, 0, args.position_table.shape[0] - 1);
}
static void check(const Backward& args) {
  check_indices("ids", args.ids, 0, args.table.shape[0] - 1);
}

WARPATH_OP(Forward, .reference = forward_reference, .cases = forward_cases, .cost = cost,
           .tolerance = tolerance, .prepare = prepare, .check = check);
WARPATH_OP(Backward, .reference = backward_reference, .cases = backward_cases, .cost = cost,
           .tolerance = tolerance, .prepare = prepare, .check = check);

}  // namespace warpath::embedding
