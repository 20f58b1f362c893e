// How well a model predicts a text.
#pragma once
#include <optional>

#include "models/text/merges.h"
#include "models/transformer.h"

namespace warpath::models {

class Perplexity {
 public:
  // The text is cut into windows of `window` tokens; a token sees those before it in its window.
  Perplexity(Backend& backend, const Config& config, DType dtype, std::int64_t window,
             const Tuning& tuning = {});

  std::int64_t bytes() const;  // of device memory, known before any is taken
  void allocate();
  const Parameters& parameters() const { return model_->parameters(); }
  Ops& ops() { return ops_; }  // for weights that are packed when they are loaded

  // The mean of -log p over all tokens but the first. `stops` is asked between windows; where it says true, the mean is over
  // those that were seen.
  struct Result {
    double loss = 0;
    std::int64_t tokens = 0;
  };
  template <class Stops>
  Result of(const Tokens& text, const Stops& stops) {
    Result r;
    for (std::size_t begin = 0; begin + 1 < text.size() && !stops(); begin += window())
      add_window(text, begin, r);
    if (r.tokens > 0) r.loss /= static_cast<double>(r.tokens);
    return r;
  }

 private:
  std::size_t window() const { return static_cast<std::size_t>(batch_.sequence); }
  void add_window(const Tokens& text, std::size_t begin, Result& r);

  Backend& backend_;
  Config config_;
  DType dtype_;
  Batch batch_;
  Ops ops_;
  Memory counted_;
  std::optional<Memory> memory_;
  std::optional<Transformer> model_;
};

}  // namespace warpath::models
