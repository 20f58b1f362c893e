#include "ops/attention/rope/rope.h"

#include <algorithm>
#include <cmath>

#include "core/host/parallel.h"
#include "core/host/registry.h"
#include "ops/attention/reference_frequency.h"

namespace warpath::rope {

// One tensor (batch, sequence, heads, dim). sign: -1 turns back.
template <class Args>
static void turn(const Args& args, const Tensor& from, const Tensor& to, const Tensor& scale,
                 double sign) {
  if (!from.data) return;
  const std::int64_t sequence = from.shape[1], heads = from.shape[2], dim = from.shape[3];
  const std::int64_t rotary = args.rotary_dim ? args.rotary_dim : dim;
  const auto* positions = args.positions.template as<std::int64_t>();
  const bool halves = args.pairs == Pairs::halves;
  parallel_for(from.shape[0] * sequence, 16, [&](std::int64_t token) {
    const double position = static_cast<double>(positions ? positions[token] : token % sequence);
    for (std::int64_t d = 0; d < dim; ++d) {
      const std::int64_t i = halves ? d % (rotary / 2) : d / 2;
      const bool first = halves ? d < rotary / 2 : d % 2 == 0, turns = d < rotary;
      const std::int64_t other = halves ? (first ? d + rotary / 2 : d - rotary / 2) : d ^ 1;
      const double angle = turns ? position * reference_frequency(args, i, rotary) : 0;
      const double c = std::cos(angle), s = sign * std::sin(angle) * (first ? -1 : 1);
      for (std::int64_t h = 0; h < heads; ++h) {
        const std::int64_t row = (token * heads + h) * dim;
        const double x = from.as<double>()[row + d];
        const double y = turns ? from.as<double>()[row + other] : 0;
        to.as<double>()[row + d] = turns ? x * c + y * s : x;
        scale.as<double>()[row + d] = turns ? std::abs(x) + std::abs(y) : 0;
      }
    }
  });
}

static void forward_reference(const Forward& args, const Forward& scale) {
  turn(args, args.q, args.q_out, scale.q_out, 1);
  turn(args, args.k, args.k_out, scale.k_out, 1);
}
static void backward_reference(const Backward& args, const Backward& scale) {
  turn(args, args.dq_out, args.dq, scale.dq, -1);
  turn(args, args.dk_out, args.dk, scale.dk, -1);
}

// In units of 2^-23 of |a| + |b|: an angle rounded to float, as at most half a turn, is off by
// 2 pi 2^-26, or 0.8; sincospif by 1; the two products and their sum are rounded once each, 1.5.
template <class Args>
static Tolerance tolerance(const Args&) {
  return {.out_ulps = 1, .f32_ulps = 3.3};
}

// Each element is read, multiplied twice, added once and written. The angles, one per token and pair,
// are not counted: there may be any number of heads to share them.
static Cost cost_of(const Tensor& q, const Tensor& k, const Tensor& positions) {
  const bool has_k = k.rank > 0;
  const double elements = static_cast<double>(q.size() + (has_k ? k.size() : 0));
  const double bytes = static_cast<double>(q.bytes() + (has_k ? k.bytes() : 0));
  return {.flops = 3 * elements,
          .bytes = 2 * bytes + (positions.rank > 0 ? static_cast<double>(positions.bytes()) : 0)};
}
static Cost cost(const Forward& args) {
  return cost_of(args.q, args.k, args.positions);
}
static Cost cost(const Backward& args) {
  return cost_of(args.dq_out, args.dk_out, args.positions);
}

// Up to a million, of either sign: a position may be counted from anywhere.
template <class Args>
static void make_positions(const Args& args) {
  auto* positions = args.positions.template as<std::int64_t>();
  if (!positions) return;
  for (std::int64_t i = 0; i < args.positions.size(); ++i)
    positions[i] = i % 5 == 4 ? -(positions[i] % 100000) : positions[i] % 1000003;
}

struct Names {
  const char *k, *q_out, *k_out;  // as the contract has them
};

static std::vector<Case> cases(const Names& names) {
  struct Sizes {
    std::int64_t batch, sequence, heads, kv_heads, dim;
  };
  const auto sized = [](const char* name, Sizes s, Case c = {}) {
    c.name = name;
    c.dims = {{"batch", s.batch},
              {"sequence", s.sequence},
              {"heads", s.heads},
              {"kv_heads", s.kv_heads},
              {"dim", s.dim}};
    return c;
  };
  const std::map<std::string, Value> llama3 = {{"base", 500000},
                                               {"factor", 8},
                                               {"low_freq_factor", 1},
                                               {"high_freq_factor", 4},
                                               {"original_max_position", 8192}};
  const auto with = [](std::map<std::string, Value> all, std::map<std::string, Value> more) {
    all.merge(more);
    return all;
  };
  const std::vector<std::string> counted = {"positions"};
  std::vector<Case> all = {
      sized("empty", {0, 4, 2, 1, 8}),
      sized("one pair", {1, 1, 1, 1, 2}, {.without = counted}),
      sized("counted", {2, 7, 3, 1, 64}, {.without = counted}),
      sized("positions", {2, 5, 4, 2, 64}),
      sized("neighbours", {2, 5, 4, 2, 64}, {.scalars = {{"pairs", "neighbours"}}}),
      sized("llama 3", {1, 6, 3, 1, 128}, {.scalars = llama3}),
      sized("llama 3 neighbours", {1, 6, 3, 1, 128},
            {.scalars = with(llama3, {{"pairs", "neighbours"}})}),
      sized("part", {1, 9, 2, 1, 80}, {.scalars = {{"rotary_dim", 32}}}),
      sized("odd part", {1, 9, 3, 2, 31}, {.scalars = {{"rotary_dim", 10}}, .without = counted}),
      sized("odd part neighbours", {1, 9, 3, 2, 31},
            {.scalars = {{"rotary_dim", 10}, {"pairs", "neighbours"}}}),
      sized("no keys", {3, 5, 2, 1, 32}, {.without = {names.k, names.k_out}}),
      sized("one head, many tokens", {1, 150, 1, 1, 64}),
      sized("in place", {1, 33, 5, 1, 32}, {.in_place = {names.q_out, names.k_out}}),
      sized("misaligned", {1, 6, 3, 1, 64}, {.offset = 1}),
      sized("special", {1, 20, 4, 1, 64}, {.fill = Fill::special}),
      sized("wide heads", {1, 2, 1, 1, 520}, {.scalars = {{"rotary_dim", 516}}}),
  };
  const std::vector<DType> timed = {DType::f32, DType::bf16};
  all.push_back(sized("8B, 16k tokens", {1, 16384, 32, 8, 128},
                      {.without = counted, .dtypes = timed, .bench = true}));
  all.push_back(sized("8B, positions", {4, 4096, 32, 8, 128},
                      {.scalars = with(llama3, {}), .dtypes = {DType::bf16}, .bench = true}));
  all.push_back(sized("GPT-J, part", {1, 16384, 16, 16, 256},
                      {.scalars = {{"pairs", "neighbours"}, {"rotary_dim", 64}},
                       .without = counted,
                       .dtypes = {DType::bf16},
                       .bench = true}));
  return all;
}

static std::vector<Case> forward_cases() {
  return cases({"k", "q_out", "k_out"});
}
static std::vector<Case> backward_cases() {
  return cases({"dk_out", "dq", "dk"});
}

WARPATH_OP(Forward, .reference = forward_reference, .cases = forward_cases, .cost = cost,
           .tolerance = tolerance, .prepare = make_positions);
WARPATH_OP(Backward, .reference = backward_reference, .cases = backward_cases, .cost = cost,
           .tolerance = tolerance, .prepare = make_positions);

}  // namespace warpath::rope
