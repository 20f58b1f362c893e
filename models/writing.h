// Several texts by one generator, with continuous admission: prompts wait in a queue, at most as many as there are places are
// written at a time, and where a text ends its place and its pages go to the next one at once.
//
// A text takes pages as it grows. Where none is free, the text that was admitted last makes room: what its pages hold moves to
// the host, and it goes on from there when pages are free again. The oldest one always goes on, so all texts end.
#pragma once
#include <functional>

#include "models/generator.h"
#include "models/sampling.h"

namespace warpath::models {

struct Request {
  Tokens prompt;
  std::int64_t most = 48;  // new tokens
  Sampling sampling;

  // Tokens whose keys and values it can come to have; those of the last one are not needed.
  std::int64_t cached() const { return static_cast<std::int64_t>(prompt.size()) + most - 1; }
};

struct Writing {
  std::function<void(std::size_t text)> begins;  // its prompt is about to be read
  // Each new token of a text with the logits that it was drawn from; false: the text ends here. Unless it `wants_logits`
  // there may be none: where the likeliest token is taken, they stay on the device.
  std::function<bool(std::size_t text, std::int32_t token, const std::vector<float>& logits)> take;
  // By `take`, or with all its tokens. `moves`: how often it made room for others.
  std::function<void(std::size_t text, int moves)> ended;
  bool wants_logits = true;
  std::function<bool()> stops;  // asked before each step; true: all end
};

// The pages of each request must fit into the cache.
void write_texts(Generator& generator, const std::vector<Request>& requests,
                 const Writing& writing);

}  // namespace warpath::models
