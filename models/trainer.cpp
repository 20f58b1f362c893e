#include "models/trainer.h"

#include <algorithm>
#include <cmath>

#include "harness/buffer.h"
#include "models/floats.h"
#include "ops/elementwise/fused_elementwise/fused_elementwise.h"

namespace warpath::models {
namespace {

constexpr const char* sum_name = "sum of micro-batches";

// The gradients that the optimiser reads: the model's own, or their sums over micro-batches, which lie as those do.
std::vector<Tensor> gradients_to_use(const Parameters& parameters, Memory& memory, int accumulate) {
  std::vector<Tensor> gradients;
  for (const Parameter& p : parameters.all()) gradients.push_back(p.gradient);
  if (accumulate == 1) return gradients;
  const Tensor own = memory.gradients.whole(parameters.dtype());
  const Tensor sum = memory.gradients.add(sum_name, parameters.dtype(), {own.size()});
  for (Tensor& g : gradients)
    g.data =
        static_cast<char*>(sum.data) + (static_cast<char*>(g.data) - static_cast<char*>(own.data));
  return gradients;
}

Optimizer make_optimizer(const Model& model, const TrainSettings& s, Memory& memory) {
  return Optimizer(model.parameters(), gradients_to_use(model.parameters(), memory, s.accumulate),
                   s.adam, memory);
}

bool all_finite(const harness::Device& device, const Tensor& t) {
  const std::vector<float> values = download_floats(device, t);
  return std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); });
}

}  // namespace

double learning_rate(const TrainSettings& s, std::int64_t step) {
  if (step <= s.warmup) return s.rate * static_cast<double>(step) / static_cast<double>(s.warmup);
  if (step >= s.steps) return s.least_rate;
  const double way = static_cast<double>(step - s.warmup) / static_cast<double>(s.steps - s.warmup);
  return s.least_rate + (s.rate - s.least_rate) * 0.5 * (1 + std::cos(3.141592653589793 * way));
}

Trainer::Trainer(Backend& backend, const TrainSettings& settings)
    : backend_(backend),
      settings_(settings),
      ops_(backend, settings.deterministic),
      counted_model_(make_model(settings.config, settings.batch, settings.dtype, counted_)) {
  const Optimizer optimizer = make_optimizer(*counted_model_, settings_, counted_);
  counted_model_->parameters().pack(ops_);
  ops_.set_pass({.trains = true});
  forward_backward(*counted_model_);
  counted_model_->loss(ops_);
  add_gradients(counted_, 0);
  add_gradients(counted_, 1);
  optimizer.step(ops_);
}

Trainer::~Trainer() {
  if (graph_) backend_.device().drop_graph(graph_);
}

std::vector<Trainer::Purpose> Trainer::memory_plan() const {
  std::vector<Purpose> plan;
  for (const Arena* a : counted_.all()) plan.push_back({a->purpose(), a->bytes()});
  if (has_inputs_apart())
    for (Purpose& p : plan)
      if (p.name == counted_.inputs.purpose()) p.bytes *= settings_.accumulate;
  plan.push_back({"scratch", ops_.scratch_bytes()});
  return plan;
}

void Trainer::allocate() {
  const harness::Device& device = backend_.device();
  memory_.emplace(counted_, device);
  model_ = make_model(settings_.config, settings_.batch, settings_.dtype, *memory_);
  optimizer_.emplace(make_optimizer(*model_, settings_, *memory_));
  for (int i = 1; has_inputs_apart() && i < settings_.accumulate; ++i) {
    MicroBatch& other = others_.emplace_back(Memory::with_other_inputs(*memory_, counted_, device));
    other.model = make_model(settings_.config, settings_.batch, settings_.dtype, other.memory);
  }
  ops_.allocate_scratch();
  model_->upload_constants(device);
  optimizer_->upload_constants(device);
  const Parameters& parameters = model_->parameters();
  // A model's first values are the same with and without adapters, whose numbers come after all of its own.
  const bool adapts = parameters.tuning().adapts();
  constexpr std::size_t first_adapter = std::size_t{1} << 32;
  for (std::size_t i = 0; adapts && i < parameters.base().size(); ++i)
    store_values(ops_, parameters.base()[i], first_values(parameters.base()[i], i, settings_.seed));
  for (std::size_t i = 0; i < parameters.all().size(); ++i) {
    const std::vector<float> values =
        first_values(parameters.all()[i], adapts ? first_adapter + i : i, settings_.seed);
    upload_floats(device, parameters.all()[i].value, values);
    if (optimizer_->has_master()) upload_floats(device, optimizer_->weights()[i], values);
  }
}

const Model& Trainer::model_of(int micro) const {
  return micro == 0 || others_.empty() ? *model_
                                       : *others_[static_cast<std::size_t>(micro - 1)].model;
}

void Trainer::take(const Model& model, const Sample& sample) {
  model.take(ops_, sample);
  ops_.set_pass({.trains = true,
                 .seed = static_cast<std::int64_t>(sample.seed),
                 .number = static_cast<std::int64_t>(sample.number)});
}

// Each micro-batch's loss is a mean over its tokens; together they count as one batch.
void Trainer::forward_backward(const Model& model) {
  model.forward(ops_);
  model.backward(ops_, 1.0 / settings_.accumulate);
}

// All gradients as one matrix: the first micro-batch's are copied, the others' added.
void Trainer::add_gradients(const Memory& memory, int micro) {
  if (settings_.accumulate == 1) return;
  const Tensor& sum = memory.gradients.find(sum_name)->tensor;
  constexpr std::int64_t columns = 64;  // an arena has whole multiples of 256 bytes
  const Tensor all = reshaped(sum, {sum.size() / columns, columns});
  Tensor own = all;
  own.data = memory.gradients.whole(sum.dtype).data;
  ops_.set_layer("accumulation");
  fused_elementwise::Args args;
  args.y = all;
  args.x = micro == 0 ? own : all;
  if (micro > 0) args.residual = own;
  ops_.call(args);
}

void Trainer::run_all() {
  for (int i = 0; i < settings_.accumulate; ++i) {
    forward_backward(model_of(i));
    add_gradients(*memory_, i);
  }
  optimizer_->step(ops_);
}

void Trainer::run_as_graph() {
  const harness::Device& device = backend_.device();
  if (graph_) return harness::must(device.replay(graph_));
  run_all();  // a first time without: launchers may set attributes of kernels
  harness::must(device.begin_capture());
  run_all();
  harness::must(device.end_capture(&graph_));
}

// Its share of the step's.
double Trainer::loss_of(int micro) const {
  return static_cast<double>(read(model_of(micro).mean_loss())) / settings_.accumulate;
}

float Trainer::read(const Tensor& one) const {
  float value = 0;
  harness::must(backend_.device().download(&value, one.data, sizeof value));
  return value;
}

StepResult Trainer::step(const std::vector<Sample>& samples, std::int64_t number,
                         const std::function<void()>& meanwhile) {
  WARPATH_CHECK(static_cast<int>(samples.size()) == settings_.accumulate,
                "one sample per micro-batch");
  StepResult result;
  result.rate = learning_rate(settings_, number);
  optimizer_->set(backend_.device(), result.rate, number);
  if (settings_.graph) {
    for (int i = 0; i < settings_.accumulate; ++i)
      take(model_of(i), samples[static_cast<std::size_t>(i)]);
    run_as_graph();
    if (meanwhile) meanwhile();
    for (int i = 0; i < settings_.accumulate; ++i) result.loss += loss_of(i);
  } else {
    for (int i = 0; i < settings_.accumulate; ++i) {
      if (i > 0) result.loss += loss_of(i - 1);
      take(*model_, samples[static_cast<std::size_t>(i)]);
      forward_backward(*model_);
      add_gradients(*memory_, i);
    }
    optimizer_->step(ops_);
    if (meanwhile) meanwhile();
    result.loss += loss_of(settings_.accumulate - 1);
  }
  result.norm = read(optimizer_->norm());
  harness::must(backend_.device().synchronise());
  return result;
}

Trainer::Evaluation Trainer::evaluate(const std::vector<Sample>& samples) {
  double sum = 0;
  std::int64_t right = 0;
  ops_.set_pass({});
  for (const Sample& s : samples) {
    model_->take(ops_, s);
    model_->forward(ops_);
    model_->loss(ops_);
    sum += read(model_->mean_loss());
    right += model_->count_right(ops_, s);
  }
  const auto count = static_cast<double>(samples.size());
  return {sum / count,
          right < 0 ? -1 : static_cast<double>(right) / (count * settings_.batch.size)};
}

double Trainer::gradients_of(const Sample& sample) {
  take(*model_, sample);
  forward_backward(*model_);
  return read(model_->mean_loss());
}

std::vector<Launch> Trainer::profile(const Sample& sample, std::int64_t number) {
  take(*model_, sample);
  optimizer_->set(backend_.device(), learning_rate(settings_, number), number);
  ops_.begin_profile();
  forward_backward(*model_);
  add_gradients(*memory_, 0);
  optimizer_->step(ops_);
  return ops_.end_profile();
}

std::string Trainer::first_not_finite() const {
  const harness::Device& device = backend_.device();
  for (const Named& n : memory_->activations.tensors()) {
    if (!is_float(n.tensor.dtype) || n.name.starts_with("d_") || n.name == "loss" ||
        n.name == "lse" || n.name == "mean_loss" || n.name == "logits")
      continue;
    if (!all_finite(device, n.tensor)) return n.name;
  }
  const auto& parameters = model_->parameters().all();
  for (auto p = parameters.rbegin(); p != parameters.rend(); ++p)
    if (!all_finite(device, p->gradient)) return "the gradient of " + p->name;
  return {};
}

}  // namespace warpath::models
