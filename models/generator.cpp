#include "models/generator.h"

#include <algorithm>

#include "harness/buffer.h"
#include "models/floats.h"

namespace warpath::models {

Generator::Generator(Backend& backend, const Config& config, DType dtype, std::int64_t batch,
                     std::int64_t prompt, std::int64_t capacity)
    : backend_(backend), ops_(backend, false), capacity_(capacity) {
  const Batch reads{batch, prompt, true, capacity}, writes{batch, 1, true, capacity};
  Memory counted;
  const Transformer reader(config, reads, dtype, counted);
  Memory counted_beside = Memory::beside(counted);
  const Transformer writer(config, writes, dtype, counted_beside);
  reader.forward(ops_);
  writer.forward(ops_);
  const harness::Device& device = backend.device();
  memory_.emplace(Memory::without_gradients(counted, device));
  reader_.emplace(config, reads, dtype, *memory_);
  beside_.emplace(Memory::beside(*memory_, counted_beside, device));
  writer_.emplace(config, writes, dtype, *beside_);
  ops_.allocate_scratch();
}

std::int64_t Generator::bytes() const {
  return memory_->parameters.bytes() + memory_->activations.bytes() + memory_->cache.bytes() +
         beside_->activations.bytes() + ops_.scratch_bytes();
}

// A text with fewer new tokens than the model takes has padding in front, at positions below zero: it is not written to the
// cache, and nobody sees it.
void Generator::show(const Transformer& model, const std::vector<Tokens>& newest,
                     const std::vector<std::int32_t>& lengths) {
  const auto wide = static_cast<std::size_t>(model.batch().sequence);
  Tokens tokens(newest.size() * wide, 0), positions(newest.size() * wide, 0);
  for (std::size_t i = 0; i < newest.size(); ++i) {
    WARPATH_CHECK(newest[i].size() <= wide, "more new tokens than the model takes");
    std::copy(newest[i].begin(), newest[i].end(),
              tokens.begin() + static_cast<std::ptrdiff_t>((i + 1) * wide - newest[i].size()));
    for (std::size_t t = 0; t < wide; ++t)
      positions[i * wide + t] =
          std::max(0, lengths[i] - static_cast<std::int32_t>(wide) + static_cast<std::int32_t>(t));
  }
  const harness::Device& device = backend_.device();
  const auto upload = [&](const Tensor& to, const Tokens& from) {
    if (to.data) harness::must(device.upload(to.data, from.data(), to.bytes()));
  };
  upload(model.tokens(), tokens);
  upload(model.positions(), positions);
  upload(model.lengths(), lengths);
  model.forward(ops_);
  logits_.clear();
  for (std::size_t i = 0; i < newest.size(); ++i)
    logits_.push_back(download_floats(
        device, rows(model.logits(), static_cast<std::int64_t>((i + 1) * wide - 1), 1)));
  harness::must(device.synchronise());
}

void Generator::run(const std::vector<Tokens>& prompts, const Sampling& sampling,
                    const std::function<bool(std::size_t, std::int32_t)>& take) {
  WARPATH_CHECK(static_cast<std::int64_t>(prompts.size()) == reader_->batch().size,
                "as many prompts as texts");
  std::vector<std::int32_t> lengths;
  for (const Tokens& p : prompts) {
    WARPATH_CHECK(!p.empty(), "a prompt has a token");
    lengths.push_back(static_cast<std::int32_t>(p.size()));
  }
  std::vector<bool> goes_on(prompts.size(), true);
  std::vector<Tokens> newest = prompts;
  for (std::uint64_t number = 0;; ++number) {
    show(number == 0 ? *reader_ : *writer_, newest, lengths);
    bool some = false;
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      if (!goes_on[i]) continue;
      const std::int32_t token = sample(sampling, logits_[i].data(),
                                        static_cast<std::int64_t>(logits_[i].size()), i, number);
      goes_on[i] = take(i, token) && lengths[i] < capacity_;
      if (!goes_on[i]) continue;
      newest[i] = {token};
      ++lengths[i];
      some = true;
    }
    if (!some) return;
    // A text that has ended shows its last token again; its results are not looked at.
    for (std::size_t i = 0; i < prompts.size(); ++i)
      if (!goes_on[i]) newest[i] = {newest[i].back()};
  }
}

}  // namespace warpath::models
