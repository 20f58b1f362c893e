#include "models/sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "core/host/error.h"

namespace warpath::models {
namespace {

std::vector<float> penalised(std::vector<float> logits, double penalty, const Tokens& prompt,
                             const Tokens& written) {
  std::unordered_set<std::int32_t> seen(prompt.begin(), prompt.end());
  seen.insert(written.begin(), written.end());
  for (const std::int32_t token : seen) {
    float& x = logits[static_cast<std::size_t>(token)];
    x = static_cast<float>(x > 0 ? x / penalty : x * penalty);
  }
  return logits;
}

// The tokens that may be drawn, and their probabilities, not divided by their sum.
struct Candidates {
  const std::vector<float>& logits;
  double temperature;
  float largest;
  std::vector<std::int32_t> tokens;

  double probability(std::int32_t token) const {
    return std::exp((logits[static_cast<std::size_t>(token)] - largest) / temperature);
  }
  // Equal ones by their number, so that the order is the same on every machine.
  bool likelier(std::int32_t a, std::int32_t b) const {
    const float x = logits[static_cast<std::size_t>(a)], y = logits[static_cast<std::size_t>(b)];
    return x > y || (x == y && a < b);
  }
  // Puts the `count` likeliest tokens in front, in order. A vocabulary is not sorted for a few of them.
  void sort_first(std::size_t count) {
    std::partial_sort(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(count),
                      tokens.end(), [&](auto a, auto b) { return likelier(a, b); });
  }
  double sum() const {
    double s = 0;
    for (const std::int32_t t : tokens) s += probability(t);
    return s;
  }
  void keep_top_k(std::int64_t k) {
    if (k <= 0 || k >= static_cast<std::int64_t>(tokens.size())) return;
    sort_first(static_cast<std::size_t>(k));
    tokens.resize(static_cast<std::size_t>(k));
  }
  void keep_top_p(double p) {
    if (p >= 1) return;
    const double wanted = p * sum();
    double before = 0;
    std::size_t kept = 0, sorted = 0;
    while (kept < tokens.size() && (kept == 0 || before < wanted)) {
      if (kept == sorted) sort_first(sorted = std::min(tokens.size(), 2 * sorted + 64));
      before += probability(tokens[kept++]);
    }
    tokens.resize(kept);
  }
  void keep_min_p(double p) {
    if (p > 0) std::erase_if(tokens, [&](std::int32_t t) { return probability(t) < p; });
  }
};

}  // namespace

std::int32_t sample(const Sampling& s, const std::vector<float>& raw, const Tokens& prompt,
                    const Tokens& written) {
  for (const float x : raw)
    if (!(x < INFINITY)) throw Error("the model's logits are no numbers");
  const std::vector<float> changed = s.repetition_penalty != 1
                                         ? penalised(raw, s.repetition_penalty, prompt, written)
                                         : std::vector<float>();
  const std::vector<float>& logits = changed.empty() ? raw : changed;
  const auto largest = std::max_element(logits.begin(), logits.end());
  if (s.temperature == 0) return static_cast<std::int32_t>(largest - logits.begin());

  Candidates c{logits, s.temperature, *largest, std::vector<std::int32_t>(logits.size())};
  std::iota(c.tokens.begin(), c.tokens.end(), 0);
  c.keep_top_k(s.top_k);
  c.keep_top_p(s.top_p);
  c.keep_min_p(s.min_p);
  double left = Random{s.seed, 0}.uniform(written.size()) * c.sum();
  for (const std::int32_t t : c.tokens)
    if ((left -= c.probability(t)) < 0) return t;
  return c.tokens.back();
}

}  // namespace warpath::models
