#include "models/dit.h"

#include "models/diffusion.h"
#include "models/floats.h"
#include "models/transformer.h"
#include "ops/random/ddpm_step/ddpm_step.h"

namespace warpath::models {
namespace {

Build build_of(const Config& c, const Batch& batch, Parameters& parameters, Memory& memory) {
  Build b = outside(c, batch, parameters, memory);
  b.prefix = "dit.";
  return b;
}

}  // namespace

Dit::Dit(const Config& config, const Batch& batch, DType dtype, Memory& memory)
    : config_(config),
      batch_(batch),
      parameters_(memory, dtype),
      build_(build_of(config_, batch_, parameters_, memory)),
      images_(memory.activations.add("images", dtype,
                                     {batch.size, config.channels, config.image, config.image})),
      clean_(memory.activations.add("clean patches", dtype,
                                    {batch.size, config.patches() * config.patch_size()})),
      alpha_bar_(memory.activations.add("alpha_bar", DType::f32, {config.times})),
      ones_(batch.capacity > 0 ? Tensor{} : build_.ones()),
      time_(build_),
      embedding_(build_, 0),
      blocks_(build_, batch.recompute),
      head_(build_) {}

void Dit::take(Ops& ops, const Sample& sample) const {
  upload_floats(ops.backend().device(), images_, sample.images);
  upload_ints(ops.backend().device(), times(), sample.times);
  ops.set_layer("noise");
  cut_into_patches(ops, config_, images_, clean_);
  const auto per_image = [&](const Tensor& t) {
    return reshaped(t, {clean_.shape[0], clean_.shape[1]});
  };
  ddpm_step::Noise args;
  args.x0 = clean_, args.alpha_bar = alpha_bar_, args.t = times();
  args.noised = per_image(patches()), args.eps = per_image(head_.noise());
  args.seed = static_cast<std::int64_t>(sample.seed);
  args.offset = static_cast<std::int64_t>(sample.number);
  ops.call(args);
}

void Dit::forward(Ops& ops) const {
  ops.set_layer("embedding");
  time_.forward(ops);
  embedding_.forward(ops, blocks_.input());
  blocks_.forward(ops, time_.output());
}

void Dit::predict(Ops& ops, const Tensor& prediction) const {
  forward(ops);
  ops.set_layer("head");
  head_.predict(ops, blocks_.output(), prediction);
}

void Dit::backward(Ops& ops, double scale) const {
  ops.set_layer("head");
  head_.loss(ops, blocks_.output());
  head_.backward(ops, blocks_.output(), blocks_.d_output(), scale);
  const DitBlocks::Gradients d = blocks_.backward(ops, time_.output());
  ops.set_layer("embedding");
  embedding_.backward(ops, d.input);
  time_.backward(ops, d.time);
}

std::vector<Named> Dit::results() const {
  return {{"noised", patches()}, {"noise", head_.noise()}, {"difference", head_.difference()}};
}

void Dit::upload_constants(const harness::Device& device) const {
  embedding_.upload_constants(device);
  time_.upload_constants(device);
  upload_floats(device, alpha_bar_, alpha_bar_of(config_));
  if (ones_.data)
    upload_floats(device, ones_, std::vector<float>(static_cast<std::size_t>(ones_.size()), 1.0f));
}

}  // namespace warpath::models
