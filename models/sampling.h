// The next token from a row of logits.
#pragma once
#include <cstdint>
#include <vector>

#include "models/random.h"
#include "models/text/merges.h"

namespace warpath::models {

// In this order: repetition, temperature, then the k largest, then the fewest that have `top_p` of the probability, then those
// with `min_p` of the largest one's.
struct Sampling {
  double temperature = 1;  // 0: always the largest
  std::int64_t top_k = 0;  // 0: all
  double top_p = 1, min_p = 0;
  double repetition_penalty =
      1;  // divides the positive logits of tokens that were there, multiplies the others
  std::uint64_t seed = 0;

  // The next token is that of the largest logit, whatever the others are.
  bool takes_likeliest() const { return temperature == 0 && repetition_penalty == 1; }
};

// Throws where the largest logit is NaN or infinite: some are no numbers.
void check_largest(float logit);

// The same seed, logits and number of tokens written so far give the same token. Logits that are no numbers throw.
std::int32_t sample(const Sampling& s, const std::vector<float>& logits, const Tokens& prompt,
                    const Tokens& written);

}  // namespace warpath::models
