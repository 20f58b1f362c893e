// A model that writes text: parameters, a cache of keys and values, and two transformers on them. One reads the prompts, all
// of their tokens at once; the other takes one new token per sequence.
#pragma once
#include <functional>
#include <optional>

#include "models/sampling.h"
#include "models/transformer.h"

namespace warpath::models {

using Tokens = std::vector<std::int32_t>;

class Generator {
 public:
  // Room for `batch` texts, each of a prompt of `prompt` tokens at most and `capacity` tokens in all.
  Generator(Backend& backend, const Config& config, DType dtype, std::int64_t batch,
            std::int64_t prompt, std::int64_t capacity);

  const Parameters& parameters() const { return reader_->parameters(); }
  std::int64_t bytes() const;

  // Goes on with the prompts, of which there are `batch`, none empty. Each new token is given to `take` with the number of
  // its text; a text ends where that returns false, and all end where they are full.
  void run(const std::vector<Tokens>& prompts, const Sampling& sampling,
           const std::function<bool(std::size_t text, std::int32_t token)>& take);

  // The logits of the newest token of each text.
  const std::vector<std::vector<float>>& logits() const { return logits_; }

 private:
  // Shows the model the newest tokens of each text; `lengths` count them.
  void show(const Transformer& model, const std::vector<Tokens>& newest,
            const std::vector<std::int32_t>& lengths);

  Backend& backend_;
  Ops ops_;
  std::int64_t capacity_;
  std::optional<Memory> memory_, beside_;
  std::optional<Transformer> reader_, writer_;
  std::vector<std::vector<float>> logits_;
};

}  // namespace warpath::models
