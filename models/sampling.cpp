#include "models/sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/host/error.h"

namespace warpath::models {

std::int32_t sample(const Sampling& s, const float* logits, std::int64_t words, std::uint64_t text,
                    std::uint64_t number) {
  for (std::int64_t i = 0; i < words; ++i)
    if (std::isnan(logits[i])) throw Error("the model's logits are no numbers");
  const auto largest = std::max_element(logits, logits + words);
  if (s.temperature == 0) return static_cast<std::int32_t>(largest - logits);

  std::vector<std::int32_t> order(static_cast<std::size_t>(words));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return logits[a] > logits[b]; });
  if (s.top_k > 0 && s.top_k < words) order.resize(static_cast<std::size_t>(s.top_k));
  std::vector<double> p(order.size());
  double sum = 0;
  for (std::size_t i = 0; i < order.size(); ++i)
    sum += p[i] = std::exp((logits[order[i]] - *largest) / s.temperature);
  double before = 0;
  std::size_t kept = 0;
  while (kept < p.size() && (kept == 0 || (before < s.top_p * sum && p[kept] >= s.min_p * p[0])))
    before += p[kept++];
  double left = Random{s.seed, text}.uniform(number) * before;
  for (std::size_t i = 0; i < kept; ++i)
    if ((left -= p[i]) < 0) return order[i];
  return order[kept - 1];
}

}  // namespace warpath::models
