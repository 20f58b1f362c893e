#include "models/train_dump.h"

#include <cstring>

#include "models/floats.h"
#include "models/safetensors.h"

namespace warpath::models {

void dump_gradients(const std::filesystem::path& file, Trainer& trainer, const Sample& sample) {
  std::vector<TensorToWrite> tensors;
  const auto add = [&](const std::string& name, DType dtype, std::vector<std::int64_t> shape,
                       std::vector<unsigned char> bytes) {
    tensors.push_back({name, dtype, std::move(shape), [bytes] { return bytes; }});
  };
  const auto add_floats = [&](const std::string& name, const Tensor& t) {
    const std::vector<float> values = download_floats(trainer.backend().device(), t);
    add(name, DType::f32, {t.shape.begin(), t.shape.begin() + t.rank},
        encoded(DType::f32, values.data(), t.size()));
  };
  const Transformer& model = trainer.model();
  const auto add_tokens = [&](const std::string& name, const std::vector<std::int32_t>& from) {
    std::vector<unsigned char> bytes(from.size() * sizeof(std::int32_t));
    std::memcpy(bytes.data(), from.data(), bytes.size());
    add(name, DType::i32, {model.batch().size, model.batch().sequence}, bytes);
  };
  add_tokens("tokens", sample.tokens);
  add_tokens("labels", sample.labels);
  trainer.evaluate({sample});
  add_floats("logits", model.logits());  // the backward pass overwrites them
  trainer.gradients_of(sample);
  add_floats("loss", model.mean_loss());
  for (const Parameter& p : model.parameters().all()) {
    add_floats("parameter." + p.name, p.value);
    add_floats("gradient." + p.name, p.gradient);
  }
  if (model.parameters().tuning().adapts())
    for (const Parameter& p : model.parameters().base()) {
      const std::vector<float> values = values_of(trainer.ops(), p);
      add("base." + p.name, DType::f32,
          {p.value.shape.begin(), p.value.shape.begin() + p.value.rank},
          encoded(DType::f32, values.data(), p.value.size()));
    }
  write_safetensors(file, tensors);
}

}  // namespace warpath::models
