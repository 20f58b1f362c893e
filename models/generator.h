// A model that writes text: parameters, a cache of keys and values in pages, and two transformers on them. One reads a
// prompt, a chunk of tokens at a time; the other takes one new token of several texts.
//
// Both have sizes that do not depend on the texts, and no row of a launch depends on another. So what a text becomes does
// not depend on the texts beside it.
#pragma once
#include <optional>

#include "models/text/merges.h"
#include "models/transformer.h"

namespace warpath::models {

struct GeneratorSize {
  std::int64_t texts = 1;       // that are written at a time
  std::int64_t chunk = 64;      // tokens of a prompt that are read at once
  std::int64_t page_size = 16;  // tokens
  std::int64_t pages = 1;       // of the cache, for all texts
  bool picks = false;           // a step finds the likeliest token of each text, on the device
  bool graph = false;           // a step is recorded as a CUDA graph and replayed
  Tuning tuning = {};           // adapters, and the form of the blocks' matrices

  std::int64_t pages_for(std::int64_t tokens) const { return (tokens + page_size - 1) / page_size; }
};

class Generator {
 public:
  using Pages = std::vector<std::int32_t>;

  Generator(Backend& backend, const Config& config, DType dtype, const GeneratorSize& size);
  ~Generator();
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  const GeneratorSize& size() const { return size_; }
  std::int64_t bytes() const;                   // of device memory, known before any is taken
  std::size_t calls() const { return calls_; }  // of ops, for one new token of all texts
  void allocate();
  const Parameters& parameters() const { return reader_->parameters(); }
  Ops& ops() { return ops_; }  // for weights that are packed when they are loaded

  // Reads a text from its beginning into its pages; the logits of its last token.
  std::vector<float> read(const Tokens& text, const Pages& pages);

  // One new token in each place.
  struct Place {
    std::int32_t token = 0, length = 0;  // of the text with that token; 0: nobody is here
    const Pages* pages = nullptr;
  };
  void step(const std::vector<Place>& places);
  // What the last step says of the token behind a place's: its logits, or the likeliest one where size().picks.
  std::vector<float> logits(std::size_t place) const;
  std::int32_t likeliest(std::size_t place) const;

  // What the pages hold, and back into as many others.
  std::vector<unsigned char> save(const Pages& pages) const;
  void load(const Pages& pages, const std::vector<unsigned char>& bytes);

 private:
  // What one transformer was given last: what has not changed is not uploaded again.
  struct Shown {
    std::vector<std::int32_t> table;
  };
  void show(const Transformer& model, Shown& shown, const Tokens& tokens,
            const std::vector<std::int32_t>& positions, const std::vector<std::int32_t>& lengths,
            std::vector<std::int32_t> table);
  void show_chunk(std::int64_t end, const std::vector<std::int32_t>& positions);
  void write(const Transformer& writer, const Tensor& likeliest);
  void run_writer();
  template <class Each>
  void for_each_page(const Pages& pages, const Each& each) const;

  Backend& backend_;
  Config config_;
  DType dtype_;
  GeneratorSize size_;
  Batch reads_, writes_;
  Ops ops_;
  Memory counted_, counted_beside_;
  std::optional<Memory> memory_, beside_;
  std::optional<Transformer> reader_, writer_;
  Shown reader_shown_, writer_shown_;
  void* graph_ = nullptr;
  Tensor likeliest_;                  // i64, per place
  std::vector<std::int64_t> picked_;  // what it held after the last step
  std::size_t calls_ = 0;
};

}  // namespace warpath::models
