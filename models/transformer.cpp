#include "models/transformer.h"

#include "harness/buffer.h"
#include "models/floats.h"

namespace warpath::models {

Build outside(const Config& c, const Batch& batch, Parameters& parameters, Memory& memory,
              const Places& places) {
  return {c,
          parameters,
          memory.inputs,
          memory.activations,
          batch.size,
          batch.sequence,
          false,
          c.family == Family::gpt2 ? "transformer." : "model.",
          batch.capacity,
          memory.cache,
          batch.pages,
          batch.page_size,
          places};
}

// Of a model that writes text, or reads it.
static Places places_of(const Batch& batch, Arena& arena) {
  Places p;
  if (batch.capacity == 0) return p;
  p.lengths = arena.add("lengths", DType::i32, {batch.size});
  p.table = arena.add("block_table", DType::i32, {batch.size, batch.capacity / batch.page_size});
  if (batch.size > 1 || batch.sequence == 1) return p;
  p.span = arena.add("span", DType::i32, {2});
  p.so_far = arena.add("so_far", DType::i32, {2});
  p.positions = arena.add("turns", DType::i64, {1, batch.sequence});
  return p;
}

Transformer::Transformer(const Config& config, const Batch& batch, DType dtype, Memory& memory)
    : config_(config),
      batch_(batch),
      parameters_(memory, dtype, batch.tuning),
      tokens_(memory.inputs.add("tokens", DType::i32, {batch.size, batch.sequence})),
      places_(places_of(batch, memory.inputs)),
      embedding_(outside(config_, batch_, parameters_, memory, places_), tokens_),
      blocks_(outside(config_, batch_, parameters_, memory, places_), batch.recompute),
      head_(outside(config_, batch_, parameters_, memory, places_), embedding_.table()) {
  parameters_.check_targets();
  if (batch.capacity == 0) ones_ = outside(config_, batch_, parameters_, memory, places_).ones();
}

void Transformer::take(Ops& ops, const Sample& sample) const {
  const harness::Device& device = ops.backend().device();
  upload_ints(device, tokens_, sample.tokens);
  upload_ints(device, labels(), sample.labels);
}

void Transformer::forward(Ops& ops) const {
  ops.set_layer("embedding");
  embedding_.forward(ops, blocks_.input());
  blocks_.forward(ops);
  ops.set_layer("head");
  const Tensor& h = blocks_.output();
  head_.forward(ops, batch_.capacity > 0 && batch_.size == 1 ? rows(h, h.shape[0] - 1, 1) : h);
}

void Transformer::backward(Ops& ops, double scale) const {
  ops.set_layer("head");
  head_.backward(ops, blocks_.output(), blocks_.d_output(), scale);
  const Tensor d = blocks_.backward(ops);
  ops.set_layer("embedding");
  embedding_.backward(ops, d);
}

void Transformer::upload_constants(const harness::Device& device) const {
  if (batch_.capacity > 0) return;
  embedding_.upload_constants(device);
  upload_floats(device, ones_, std::vector<float>(static_cast<std::size_t>(ones_.size()), 1.0f));
}

}  // namespace warpath::models
