// Tokens to train on, and which of them a step takes.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "models/config.h"
#include "models/random.h"
#include "models/text/tokenizer.h"

namespace warpath::models {

// One batch. Of text: tokens, and of each the next one as its label. Of images: their pixels and classes, and for a
// diffusion model their times. `seed` and `number` say where noise and masks are drawn from.
struct Sample {
  std::vector<std::int32_t> tokens, labels;
  std::vector<float> images;
  std::vector<std::int32_t> times;
  std::uint64_t seed = 0, number = 0;
};

class Data {
 public:
  static Data of_text(const std::string& text, std::string from,
                      const Tokenizer& tokenizer = Tokenizer::of_bytes());
  // A file of text, or a folder of *.bin: token shards of 16-bit numbers, with llm.c's header or without any.
  static Data of_path(const std::filesystem::path& path,
                      const Tokenizer& tokenizer = Tokenizer::of_bytes());

  // Images of shapes (models/shapes.h), for a model that sees images.
  static Data of_shapes(const Config& config);

  // Refuses tokens that the model has not, and texts that are too short.
  void check(std::int64_t vocabulary, std::int64_t sequence) const;

  // Batch `number` of a run with that seed: sequences from random places. The last tenth is for evaluation.
  Sample training(std::uint64_t seed, std::uint64_t number, std::int64_t batch,
                  std::int64_t sequence) const;
  // Batch `number` of those for evaluation: always the same sequences, one behind the other.
  Sample evaluation(std::uint64_t number, std::int64_t batch, std::int64_t sequence) const;

  std::size_t size() const { return tokens_.size(); }
  const std::string& from() const { return from_; }
  // Changes when any token does: a resumed run must have the same text.
  std::uint64_t fingerprint() const;

 private:
  void take(Sample& s, std::size_t from, std::int64_t sequence) const;
  Sample shapes(std::uint64_t seed, std::uint64_t number, std::int64_t batch) const;
  std::size_t training_size() const { return tokens_.size() - tokens_.size() / 10; }

  Tokens tokens_;
  std::string from_;
  std::optional<Config> shapes_;
};

}  // namespace warpath::models
