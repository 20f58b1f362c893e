// What the layers of a model are built with: where their parameters and activations lie, and the sizes of a batch.
#pragma once
#include <string>

#include "models/config.h"
#include "models/parameters.h"

namespace warpath::models {

// Where the new tokens of texts stand, on the device.
struct Places {
  Tensor lengths;  // i32, per sequence, with the new tokens
  Tensor table;    // i32, (batch, capacity / page_size): the pages of each sequence
  // Of a model that reads one text:
  Tensor span;       // i32, (2): the new tokens that are no padding
  Tensor so_far;     // i32, (2): 0, and how many tokens the text has with the new ones
  Tensor positions;  // i64, (1, sequence): of each new token
};

struct Build {
  const Config& config;
  Parameters& parameters;
  Arena &inputs, &activations;
  std::int64_t batch, sequence;
  bool recompute;      // blocks compute their activations again in the backward pass
  std::string prefix;  // of names: "transformer.h.3."
  // Of a model that writes text: keys and values of all tokens so far, at most `capacity` per sequence. 0: one that trains.
  std::int64_t capacity;
  Arena& cache;
  std::int64_t pages, page_size;  // of the cache
  Places places;

  DType dtype() const { return parameters.dtype(); }
  std::int64_t rows() const { return batch * sequence; }

  // An activation that the backward pass reads, in the type of the parameters. Blocks that compute theirs again take
  // turns at one.
  Tensor kept(const std::string& name, std::initializer_list<std::int64_t> shape) const {
    return kept(name, dtype(), shape);
  }
  Tensor kept(const std::string& name, DType type,
              std::initializer_list<std::int64_t> shape) const {
    return recompute ? activations.shared("blocks." + name, type, shape)
                     : activations.add(prefix + name, type, shape);
  }
  // A gradient, or another tensor that lives for one layer's backward pass; none in a model without one.
  Tensor passing(const std::string& name, std::initializer_list<std::int64_t> shape) const {
    return capacity > 0 ? Tensor{} : activations.shared(name, dtype(), shape);
  }
  // Ones, as many as a batch has rows: their product with a matrix is the sum of its rows.
  Tensor ones() const { return activations.shared("ones", dtype(), {1, rows()}); }
};

}  // namespace warpath::models
