#include "models/transformer.h"

#include "harness/buffer.h"
#include "models/floats.h"

namespace warpath::models {

Build outside(const Config& c, const Batch& batch, Parameters& parameters, Memory& memory,
              const Tensor& lengths, const Tensor& table) {
  return {c,
          parameters,
          memory.activations,
          batch.size,
          batch.sequence,
          false,
          c.family == Family::gpt2 ? "transformer." : "model.",
          batch.capacity,
          memory.cache,
          batch.pages,
          batch.page_size,
          lengths,
          table};
}

Transformer::Transformer(const Config& config, const Batch& batch, DType dtype, Memory& memory)
    : config_(config),
      batch_(batch),
      parameters_(memory, dtype, batch.tuning),
      tokens_(memory.activations.add("tokens", DType::i32, {batch.size, batch.sequence})),
      lengths_(batch.capacity > 0 ? memory.activations.add("lengths", DType::i32, {batch.size})
                                  : Tensor{}),
      table_(batch.capacity > 0
                 ? memory.activations.add("block_table", DType::i32,
                                          {batch.size, batch.capacity / batch.page_size})
                 : Tensor{}),
      embedding_(outside(config_, batch_, parameters_, memory, lengths_, table_), tokens_),
      blocks_(outside(config_, batch_, parameters_, memory, lengths_, table_), batch.recompute),
      head_(outside(config_, batch_, parameters_, memory, lengths_, table_), embedding_.table()) {
  parameters_.check_targets();
  if (batch.capacity == 0)
    ones_ = outside(config_, batch_, parameters_, memory, lengths_, table_).ones();
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
