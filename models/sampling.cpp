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
  std::vector<std::int32_t> tokens = {};

  Candidates(const std::vector<float>& l, double t, float m)
      : logits(l), temperature(t), largest(m), tokens(l.size()) {
    std::iota(tokens.begin(), tokens.end(), 0);
  }

  float logit(std::int32_t token) const { return logits[static_cast<std::size_t>(token)]; }
  double probability(std::int32_t token) const {
    return std::exp((logit(token) - largest) / temperature);
  }
  // Equal ones by their number, so that the order is the same on every machine.
  bool likelier(std::int32_t a, std::int32_t b) const {
    const float x = logit(a), y = logit(b);
    return x > y || (x == y && a < b);
  }
  // The `count` likeliest tokens, in order. One pass over a vocabulary: what is below the count-th of those seen so far is passed
  // over, and these are told apart only when there are twice as many.
  std::vector<std::int32_t> first(std::size_t count) const {
    const auto order = [&](std::int32_t a, std::int32_t b) { return likelier(a, b); };
    std::vector<std::int32_t> best;
    best.reserve(2 * count);
    float least = -INFINITY;
    for (const std::int32_t t : tokens) {
      if (best.size() >= count && !(logit(t) > least)) continue;
      best.push_back(t);
      if (best.size() < 2 * count) continue;
      const auto last = best.begin() + static_cast<std::ptrdiff_t>(count) - 1;
      std::nth_element(best.begin(), last, best.end(), order);
      least = logit(*last);
      best.resize(count);
    }
    std::sort(best.begin(), best.end(), order);
    best.resize(std::min(best.size(), count));
    return best;
  }
  double sum() const {
    double s = 0;
    for (const std::int32_t t : tokens) s += probability(t);
    return s;
  }
  void keep_top_k(std::int64_t k) {
    if (k > 0 && k < std::ssize(tokens)) tokens = first(static_cast<std::size_t>(k));
  }
  void keep_top_p(double p) {
    if (p >= 1) return;
    const double wanted = p * sum();
    double before = 0;
    std::size_t kept = 0;
    std::vector<std::int32_t> sorted;
    while (kept < tokens.size() && (kept == 0 || before < wanted)) {
      if (kept == sorted.size()) sorted = first(std::min(tokens.size(), 4 * kept + 64));
      before += probability(sorted[kept++]);
    }
    sorted.resize(kept);
    tokens = std::move(sorted);
  }
  void keep_min_p(double p) {
    if (p > 0) std::erase_if(tokens, [&](std::int32_t t) { return probability(t) < p; });
  }
  // `share`: from 0 to 1.
  std::int32_t draw(double share) const {
    std::vector<double> p;
    p.reserve(tokens.size());
    for (const std::int32_t t : tokens) p.push_back(probability(t));
    double left = share * std::accumulate(p.begin(), p.end(), 0.0);
    for (std::size_t i = 0; i < p.size(); ++i)
      if ((left -= p[i]) < 0) return tokens[i];
    return tokens.back();
  }
};

}  // namespace

void check_largest(float logit) {
  if (!(logit < INFINITY)) throw Error("the model's logits are no numbers");
}

std::int32_t sample(const Sampling& s, const std::vector<float>& raw, const Tokens& prompt,
                    const Tokens& written) {
  for (const float x : raw) check_largest(x);
  const std::vector<float> changed = s.repetition_penalty != 1
                                         ? penalised(raw, s.repetition_penalty, prompt, written)
                                         : std::vector<float>();
  const std::vector<float>& logits = changed.empty() ? raw : changed;
  const auto largest = std::max_element(logits.begin(), logits.end());
  if (s.temperature == 0) return static_cast<std::int32_t>(largest - logits.begin());

  Candidates c(logits, s.temperature, *largest);
  c.keep_top_k(s.top_k);
  c.keep_top_p(s.top_p);
  c.keep_min_p(s.min_p);
  return c.draw(Random{s.seed, 0}.uniform(written.size()));
}

}  // namespace warpath::models
