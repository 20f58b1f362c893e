// The next token from a row of logits.
#pragma once
#include <cstdint>
#include <vector>

#include "models/random.h"

namespace warpath::models {

// In this order: temperature, then the k largest, then the fewest that have `top_p` of the probability, then those with
// `min_p` of the largest one's.
struct Sampling {
  double temperature = 1;  // 0: always the largest
  std::int64_t top_k = 0;  // 0: all
  double top_p = 1, min_p = 0;
  std::uint64_t seed = 0;
};

// `number` counts the draws of a text: the same seed, text and number give the same token. Logits that are no numbers throw.
std::int32_t sample(const Sampling& s, const float* logits, std::int64_t words, std::uint64_t text,
                    std::uint64_t number);

}  // namespace warpath::models
