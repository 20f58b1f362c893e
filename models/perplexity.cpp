#include "models/perplexity.h"

#include <algorithm>

#include "harness/buffer.h"
#include "models/floats.h"

namespace warpath::models {

Perplexity::Perplexity(Backend& backend, const Config& config, DType dtype, std::int64_t window,
                       const Tuning& tuning)
    : backend_(backend), config_(config), dtype_(dtype), ops_(backend, false) {
  batch_.size = 1, batch_.sequence = window, batch_.recompute = config_.layers;
  batch_.tuning = tuning;
  const Transformer model(config_, batch_, dtype_, counted_);
  model.parameters().pack(ops_);
  model.forward(ops_);
  model.loss(ops_);
}

std::int64_t Perplexity::bytes() const {
  return counted_.parameters.bytes() + counted_.inputs.bytes() + counted_.activations.bytes() +
         ops_.scratch_bytes();
}

void Perplexity::allocate() {
  const harness::Device& device = backend_.device();
  memory_.emplace(Memory::without_gradients(counted_, device));
  model_.emplace(config_, batch_, dtype_, *memory_);
  ops_.allocate_scratch();
  model_->upload_constants(device);
}

// Tokens behind the end of the text are padding: nobody sees them, and their labels do not count.
void Perplexity::add_window(const Tokens& text, std::size_t begin, Result& r) {
  const std::size_t count = std::min(window(), text.size() - 1 - begin);
  Tokens tokens(window(), 0), labels(window(), -100);  // cross_entropy's ignore_index
  std::copy_n(text.begin() + static_cast<std::ptrdiff_t>(begin), count, tokens.begin());
  std::copy_n(text.begin() + static_cast<std::ptrdiff_t>(begin + 1), count, labels.begin());
  const harness::Device& device = backend_.device();
  harness::must(device.upload(model_->tokens().data, tokens.data(), model_->tokens().bytes()));
  harness::must(device.upload(model_->labels().data, labels.data(), model_->labels().bytes()));
  model_->forward(ops_);
  model_->loss(ops_);
  const std::vector<float> losses =
      download_floats(device, memory_->activations.find("loss")->tensor);
  for (std::size_t i = 0; i < count; ++i) r.loss += losses[i];
  r.tokens += static_cast<std::int64_t>(count);
}

}  // namespace warpath::models
