// A training run: the model, its optimiser and its memory on one backend. A step is
//   for each micro-batch: upload tokens, forward, loss, backward (and add up the gradients)
//   norm of the gradients, AdamW
// and the host waits for the device only to read losses. With `graph` all micro-batches are uploaded first, each to inputs
// of its own, and the rest is one launch.
#pragma once
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>

#include "models/model.h"
#include "models/optimizer.h"

namespace warpath::models {

struct TrainSettings {
  Config config;
  std::string base;  // the model's name or folder, for who reads an adapter
  Batch batch;
  DType dtype = DType::f32;
  int accumulate = 1;  // micro-batches per step
  AdamSettings adam;
  double rate = 6e-4, least_rate = 6e-5;
  std::int64_t steps = 100, warmup = 10;
  std::uint64_t seed = 0;
  bool deterministic = true;  // only rungs that give the same bits in every run
  bool graph = false;         // the whole step recorded once, replayed by one launch
  std::filesystem::path
      tokenizer;  // the folder whose tokenizer a checkpoint keeps; empty: bytes are the tokens
  std::string tokenizer_json;  // the text of the file that a checkpoint keeps; empty: none
};

// Grows linearly to `rate`, then falls to `least_rate` along half a cosine. Steps count from 1.
double learning_rate(const TrainSettings& s, std::int64_t step);

struct StepResult {
  double loss = 0, norm = 0, rate = 0;
};

class Trainer {
 public:
  Trainer(Backend& backend, const TrainSettings& settings);
  ~Trainer();

  // What device memory will hold what, known before any is taken.
  struct Purpose {
    std::string name;
    std::int64_t bytes;
  };
  std::vector<Purpose> memory_plan() const;
  std::int64_t parameter_count() const { return counted_model_->parameters().count(); }
  std::int64_t trained_count() const { return counted_model_->parameters().trained_count(); }

  void allocate();  // and the parameters' first values
  // One sample per micro-batch. `meanwhile` is called once the device has all of its work.
  StepResult step(const std::vector<Sample>& samples, std::int64_t number,
                  const std::function<void()>& meanwhile = {});
  struct Evaluation {
    double loss = 0, accuracy = -1;  // negative: the model's predictions are not right or wrong
  };
  Evaluation evaluate(const std::vector<Sample>& samples);
  // The loss and all gradients of one sample; nothing is updated.
  double gradients_of(const Sample& sample);
  // The same, each call timed by itself.
  std::vector<Launch> profile(const Sample& sample, std::int64_t number);

  // After a loss or norm that is no number: the first activation that has one, in the order of the forward pass, else the
  // first gradient in the order of the backward pass; empty where there is none.
  std::string first_not_finite() const;

  const Model& model() const { return *model_; }
  const Optimizer& optimizer() const { return *optimizer_; }
  const TrainSettings& settings() const { return settings_; }
  Backend& backend() const { return backend_; }
  Ops& ops() { return ops_; }
  const Ops& ops() const { return ops_; }

 private:
  // The model on the same memory, but with inputs of its own.
  struct MicroBatch {
    explicit MicroBatch(Memory own) : memory(std::move(own)) {}
    Memory memory;
    std::unique_ptr<Model> model;
  };

  bool has_inputs_apart() const { return settings_.graph && settings_.accumulate > 1; }
  const Model& model_of(int micro) const;
  void take(const Model& model, const Sample& sample);
  void forward_backward(const Model& model);
  void add_gradients(const Memory& memory, int micro);
  void run_all();
  void run_as_graph();
  double loss_of(int micro) const;
  float read(const Tensor& one) const;

  Backend& backend_;
  TrainSettings settings_;
  Ops ops_;
  Memory counted_;
  std::unique_ptr<Model> counted_model_;
  std::optional<Memory> memory_;
  std::unique_ptr<Model> model_;
  std::deque<MicroBatch> others_;  // behind the first, in a graph
  std::optional<Optimizer> optimizer_;
  void* graph_ = nullptr;
};

}  // namespace warpath::models
