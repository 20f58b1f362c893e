#include "models/vit.h"

#include <algorithm>

#include "models/floats.h"
#include "models/transformer.h"
#include "ops/elementwise/fused_elementwise/fused_elementwise.h"

namespace warpath::models {
namespace {

Build build_of(const Config& c, const Batch& batch, Parameters& parameters, Memory& memory) {
  Build b = outside(c, batch, parameters, memory);
  b.prefix = "vit.";
  return b;
}

void copy(Ops& ops, const Tensor& from, const Tensor& to) {
  fused_elementwise::Args args;
  args.x = reshaped(from, {1, from.size()}), args.y = reshaped(to, {1, to.size()});
  ops.call(args);
}

}  // namespace

Vit::Vit(const Config& config, const Batch& batch, DType dtype, Memory& memory)
    : config_(config),
      batch_(batch),
      parameters_(memory, dtype),
      build_(build_of(config_, batch_, parameters_, memory)),
      class_token_(parameters_.tensor(build_.prefix + "embeddings.cls_token", {1, 1, config.width},
                                      0.02, false)),
      images_(memory.inputs.add("images", dtype,
                                {batch.size, config.channels, config.image, config.image})),
      ones_(build_.ones()),
      embedding_(build_, 1),
      blocks_(build_, batch.recompute),
      head_(build_) {}

void Vit::take(Ops& ops, const Sample& sample) const {
  upload_floats(ops.backend().device(), images_, sample.images);
  upload_ints(ops.backend().device(), head_.labels(), sample.labels);
}

void Vit::forward(Ops& ops) const {
  ops.set_layer("embedding");
  cut_into_patches(ops, config_, images_, embedding_.patches());
  copy(ops, class_token_.value, embedding_.firsts());
  embedding_.forward(ops, blocks_.input());
  blocks_.forward(ops);
  ops.set_layer("head");
  head_.forward(ops, blocks_.output());
}

void Vit::backward(Ops& ops, double scale) const {
  ops.set_layer("head");
  head_.backward(ops, blocks_.d_output(), scale);
  const Tensor d = blocks_.backward(ops);
  ops.set_layer("embedding");
  embedding_.backward(ops, d);
  copy(ops, embedding_.d_firsts(), class_token_.gradient);
}

std::int64_t Vit::count_right(Ops& ops, const Sample& sample) const {
  const std::vector<float> logits = download_floats(ops.backend().device(), head_.logits());
  std::int64_t right = 0;
  for (std::size_t i = 0; i < sample.labels.size(); ++i) {
    const auto begin = logits.begin() + static_cast<std::ptrdiff_t>(i) * config_.classes;
    right += std::max_element(begin, begin + config_.classes) - begin == sample.labels[i];
  }
  return right;
}

void Vit::upload_constants(const harness::Device& device) const {
  embedding_.upload_constants(device);
  head_.upload_constants(device, batch_.sequence);
  upload_floats(device, ones_, std::vector<float>(static_cast<std::size_t>(ones_.size()), 1.0f));
}

}  // namespace warpath::models
