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
  const Model& model = trainer.model();
  const auto rows = static_cast<std::int64_t>(trainer.settings().batch.size);
  const auto add_values = [&](const std::string& name, DType dtype, const auto& from) {
    if (from.empty()) return;
    std::vector<unsigned char> bytes(from.size() * sizeof from[0]);
    std::memcpy(bytes.data(), from.data(), bytes.size());
    const auto each = static_cast<std::int64_t>(from.size()) / rows;
    add(name, dtype, each == 1 ? std::vector{rows} : std::vector{rows, each}, bytes);
  };
  add_values("tokens", DType::i32, sample.tokens);
  add_values("labels", DType::i32, sample.labels);
  add_values("images", DType::f32, sample.images);
  add_values("times", DType::i32, sample.times);
  trainer.evaluate({sample});
  for (const Named& n : model.results())
    add_floats(n.name, n.tensor);  // before they are overwritten
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
