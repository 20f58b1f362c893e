// The cases of attention: lengths around every tile, all that a mask can be, every head size, layouts; then what is timed on
// a GPU.
#include "ops/attention/attention/reference.h"

namespace warpath::attention {
namespace {

using Types = std::vector<DType>;
using Scalars = std::map<std::string, Value>;

// Functions, not constants: cases are made before main(), perhaps before the constants of this file.
Types half_types() {
  return {DType::f16, DType::bf16};
}
Types bf16() {
  return {DType::bf16};
}
Scalars causal(Scalars more = {}) {
  more.insert({"causal", true});
  return more;
}

struct Sizes {
  std::int64_t queries, keys;
  std::int64_t heads = 1, kv_heads = 1;
  std::int64_t dim = 64, value_dim = 0;  // 0: as dim
  std::int64_t batch = 1, sequences = 0;
};

Case sized(const std::string& name, Sizes s, Case c = {}) {
  c.name = name;
  c.dims = {{"batch", s.batch},
            {"queries", s.queries},
            {"keys", s.keys},
            {"heads", s.heads},
            {"kv_heads", s.kv_heads},
            {"dim", s.dim},
            {"value_dim", s.value_dim ? s.value_dim : s.dim},
            {"sequences", s.sequences}};
  if (s.sequences == 0) c.without = {"q_offsets", "k_offsets"};
  return c;
}

std::vector<Case> lengths() {
  return {
      sized("one", {1, 1}),
      sized("no queries", {0, 7}),
      sized("no keys", {5, 0}),
      sized("no batch", {.queries = 3, .keys = 3, .batch = 0}),
      sized("one query", {1, 67}),
      sized("one key", {65, 1}),
      sized("tile-1", {63, 63}),
      sized("tile", {64, 64}),
      sized("tile+1", {65, 65}),
      sized("large tile-1", {127, 129, 1, 1, 32}),
      sized("large tile", {128, 128, 1, 1, 32}),
      sized("large tile+1", {129, 127, 1, 1, 32}),
      sized("several tiles", {200, 331, 1, 1, 64}, {.dtypes = bf16()}),
      sized("batch and heads", {.queries = 37, .keys = 43, .heads = 3, .kv_heads = 3, .batch = 2}),
  };
}

std::vector<Case> masks() {
  return {
      sized("causal", {65, 65}, {.scalars = causal()}),
      sized("causal tiles", {128, 128, 1, 1, 32}, {.scalars = causal()}),
      sized("causal, several tiles", {200, 200}, {.scalars = causal(), .dtypes = bf16()}),
      sized("causal, one query", {1, 67}, {.scalars = causal()}),
      sized("causal, more keys", {40, 167, 1, 1, 32}, {.scalars = causal()}),
      sized("causal, rows without keys", {150, 70, 2, 1, 32}, {.scalars = causal()}),
      sized("window 1", {66, 66, 1, 1, 32}, {.scalars = {{"window", 1}}}),
      sized("window 17", {70, 140, 1, 1, 32}, {.scalars = {{"window", 17}}}),
      sized("window 17 causal", {140, 140, 1, 1, 32}, {.scalars = causal({{"window", 17}})}),
      sized("window 70 causal", {200, 200, 1, 1, 32},
            {.scalars = causal({{"window", 70}}), .dtypes = bf16()}),
      sized("window, rows without keys", {150, 50, 1, 1, 32}, {.scalars = {{"window", 9}}}),
  };
}

std::vector<Case> heads() {
  return {
      sized("group of 3", {33, 65, 6, 2, 32}),
      sized("group of 8", {17, 40, 8, 1}, {.scalars = causal()}),
      sized("group of 3, batch",
            {.queries = 20, .keys = 33, .heads = 6, .kv_heads = 2, .batch = 2}),
      sized("dim 40", {40, 50, 2, 1, 40}),
      sized("dim 48", {40, 50, 2, 2, 48}),
      sized("dim 96", {65, 70, 1, 1, 96}),
      sized("dim 128", {65, 70, 1, 1, 128}, {.scalars = causal()}),
      sized("dim 192/128", {65, 66, 1, 1, 192, 128}, {.scalars = causal()}),
      sized("dim 256", {33, 66, 1, 1, 256}),
      sized("dim 32/80", {40, 66, 1, 1, 32, 80}),
      sized("dim 1", {9, 20, 1, 1, 1}),
      sized("dim 17/19", {20, 35, 2, 1, 17, 19}),
      sized("dim 128, several tiles", {130, 200, 1, 1, 128}, {.dtypes = bf16()}),
      sized("dim 256, several tiles", {70, 140, 1, 1, 256},
            {.scalars = causal(), .dtypes = bf16()}),
  };
}

std::vector<Case> features() {
  using enum Layout;
  const std::map<std::string, Layout> heads_outside = {
      {"q", heads_first}, {"k", heads_first}, {"v", heads_first}};
  const Scalars dropped = {{"dropout", 0.25}, {"seed", 1234}, {"offset", 5}};
  Scalars dropped_window = dropped;
  dropped_window.insert({"window", 20});
  return {
      sized("varlen",
            {.queries = 300, .keys = 300, .heads = 2, .kv_heads = 1, .dim = 32, .sequences = 7}),
      sized("varlen causal", {.queries = 300, .keys = 300, .heads = 1, .dim = 32, .sequences = 7},
            {.scalars = causal()}),
      sized("varlen, other keys", {.queries = 150, .keys = 231, .dim = 32, .sequences = 9},
            {.scalars = causal()}),
      sized("varlen dim 128",
            {.queries = 200, .keys = 200, .heads = 2, .kv_heads = 1, .dim = 128, .sequences = 5},
            {.dtypes = bf16()}),
      sized("varlen dim 192/128",
            {.queries = 200,
             .keys = 190,
             .heads = 2,
             .kv_heads = 1,
             .dim = 192,
             .value_dim = 128,
             .sequences = 2},
            {.scalars = causal(), .dtypes = bf16()}),
      sized("varlen, window and dropout",
            {.queries = 200, .keys = 200, .heads = 2, .kv_heads = 1, .dim = 32, .sequences = 4},
            {.scalars = dropped_window}),
      sized("scale", {40, 65}, {.scalars = {{"scale", 0.3}}}),
      sized("negative scale", {33, 65, 1, 1, 32}, {.scalars = {{"scale", -0.25}}}),
      sized("large logits", {65, 130, 1, 1, 32}, {.scalars = {{"scale", 8}}}),
      sized("softcap, several tiles", {150, 200, 2, 1, 128},
            {.scalars = causal({{"softcap", 10}, {"scale", 0.3}}), .dtypes = bf16()}),
      sized("dropout, several tiles", {150, 200, 2, 1, 128},
            {.scalars = dropped, .dtypes = bf16()}),
      sized("dropout of all", {20, 33, 1, 1, 32}, {.scalars = {{"dropout", 1}}}),
      sized("softcap and dropout", {70, 130, 1, 1, 64},
            {.scalars = causal({{"softcap", 3}, {"dropout", 0.25}, {"seed", 9}}),
             .dtypes = half_types()}),
      sized("softcap dim 192/128", {65, 70, 1, 1, 192, 128},
            {.scalars = {{"softcap", 5}}, .dtypes = bf16()}),
      sized("softcap", {65, 70, 1, 1, 32}, {.scalars = {{"softcap", 5}, {"scale", 0.5}}}),
      sized("softcap causal", {65, 70, 2, 1, 32},
            {.scalars = causal({{"softcap", 20}, {"scale", 2}})}),
      sized("dropout", {66, 70, 2, 2, 32}, {.scalars = dropped}),
      sized("dropout causal, batch",
            {.queries = 34, .keys = 70, .heads = 2, .kv_heads = 1, .dim = 32, .batch = 2},
            {.scalars = causal({{"dropout", 0.5}, {"seed", -3}, {"offset", 1}})}),
      sized("heads first", {.queries = 37, .keys = 70, .heads = 4, .kv_heads = 2, .batch = 2},
            {.layouts = heads_outside}),
      sized("padded", {.queries = 37, .keys = 70, .heads = 2, .kv_heads = 2, .dim = 40, .batch = 2},
            {.scalars = causal(), .layouts = {{"q", padded}, {"k", padded}, {"v", padded}}}),
      sized("mixed layouts", {33, 66, 3, 1, 64}, {.layouts = {{"k", heads_first}, {"v", padded}}}),
      sized("misaligned", {33, 66, 2, 2, 64}, {.scalars = causal(), .offset = 1}),
      sized("half-aligned", {33, 66, 2, 1, 64}, {.offset = 4}),
      sized("ties", {40, 66, 1, 1, 32}, {.fill = Fill::ties, .scalars = causal()}),
      sized("ramp", {40, 130, 1, 1, 32}, {.fill = Fill::ramp, .scalars = {{"scale", 0.1}}}),
      sized("far below zero", {40, 70, 1, 1, 32},
            {.fill = Fill::low, .scalars = {{"scale", 0.001}}}),
      // What a tile adds to the error of a row without a new maximum shows after many tiles.
      sized("many keys, large logits", {5, 4500, 1, 1, 32},
            {.fill = Fill::low, .scalars = {{"scale", 0.001}}, .dtypes = bf16()}),
  };
}

// 16384 tokens, and 2048 elements per token.
Case timed(const std::string& name, std::int64_t length, std::int64_t dim, Scalars scalars,
           Types dtypes = bf16()) {
  return sized(name,
               {.queries = length,
                .keys = length,
                .heads = 2048 / dim,
                .kv_heads = 2048 / dim,
                .dim = dim,
                .batch = 16384 / length},
               {.scalars = std::move(scalars), .dtypes = std::move(dtypes), .bench = true});
}

std::vector<Case> benches(bool backward) {
  return {
      timed("2k causal d128", 2048, 128, causal()),
      timed("4k causal d128", 4096, 128, causal()),
      timed("8k causal d128", 8192, 128, causal()),
      timed("16k causal d128", 16384, 128, causal(), backward ? bf16() : half_types()),
      timed("2k d128", 2048, 128, {}),
      timed("4k d128", 4096, 128, {}),
      timed("8k d128", 8192, 128, {}),
      timed("16k d128", 16384, 128, {}),
      timed("4k d64", 4096, 64, {}),
      timed("4k causal d64", 4096, 64, causal()),
      timed("16k causal d64", 16384, 64, causal()),
      timed("16k d64", 16384, 64, {}),
      timed("4k causal d256", 4096, 256, causal()),
      // No divisors of 2048: 1920 elements per token, and keys of 192 with values of 128.
      sized("4k causal d96",
            {.queries = 4096, .keys = 4096, .heads = 20, .kv_heads = 20, .dim = 96, .batch = 4},
            {.scalars = causal(), .dtypes = bf16(), .bench = true}),
      sized("4k causal d192/128",
            {.queries = 4096,
             .keys = 4096,
             .heads = 16,
             .kv_heads = 16,
             .dim = 192,
             .value_dim = 128,
             .batch = 4},
            {.scalars = causal(), .dtypes = bf16(), .bench = true}),
      timed("window 1024 16k", 16384, 128, causal({{"window", 1024}})),
      sized("grouped 32/8 4k causal",
            {.queries = 4096, .keys = 4096, .heads = 32, .kv_heads = 8, .dim = 128, .batch = 4},
            {.scalars = causal(), .dtypes = bf16(), .bench = true}),
      sized("varlen 64 sequences",
            {.queries = 65536,
             .keys = 65536,
             .heads = 16,
             .kv_heads = 16,
             .dim = 128,
             .sequences = 64},
            {.scalars = causal(), .dtypes = bf16(), .bench = true}),
  };
}

std::vector<Case> cases(bool backward) {
  std::vector<Case> all;
  for (const auto& part : {lengths(), masks(), heads(), features(), benches(backward)})
    all.insert(all.end(), part.begin(), part.end());
  all.push_back(sized("no sequences", {5, 6, 2, 1, 32}));
  all.back().without.clear();
  return all;
}

}  // namespace

std::vector<Case> forward_cases() {
  return cases(false);
}
std::vector<Case> backward_cases() {
  return cases(true);
}

}  // namespace warpath::attention
