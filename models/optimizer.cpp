#include "models/optimizer.h"

#include "models/floats.h"
#include "ops/optimizer/adamw/adamw.h"
#include "ops/optimizer/grad_norm/grad_norm.h"

namespace warpath::models {
namespace {

TensorList list(const std::vector<Tensor>& tensors) {
  return {tensors.empty() ? nullptr : tensors.data(), static_cast<std::int64_t>(tensors.size())};
}

}  // namespace

Optimizer::Optimizer(const Parameters& parameters, const std::vector<Tensor>& gradients,
                     const AdamSettings& settings, Memory& memory)
    : settings_(settings) {
  Arena& arena = memory.optimizer;
  for (const Tensor& g : gradients) g_.push_back(flat(g));
  for (const Parameter& p : parameters.all()) {
    const std::int64_t n = p.value.size();
    names_.push_back(p.name);
    p_.push_back(flat(p.value));
    m_.push_back(arena.add(p.name + ".m", DType::f32, {n}));
    v_.push_back(arena.add(p.name + ".v", DType::f32, {n}));
    if (parameters.dtype() != DType::f32)
      master_.push_back(arena.add(p.name + ".master", DType::f32, {n}));
    decays_.push_back(p.decays ? 1.0f : 0.0f);
  }
  decay_ = arena.add("decay", DType::f32, {static_cast<std::int64_t>(p_.size())});
  norm_ = arena.add("norm", DType::f32, {1});
  factor_ = arena.add("factor", DType::f32, {1});
  lr_step_ = arena.add("lr_step", DType::f32, {2});
}

void Optimizer::set(const harness::Device& device, double rate, std::int64_t step) const {
  WARPATH_CHECK(step < std::int64_t{1} << 24, "a float counts up to 16 million steps");
  upload_floats(device, lr_step_, {static_cast<float>(rate), static_cast<float>(step)});
}

void Optimizer::step(Ops& ops) const {
  ops.set_layer("optimizer");
  grad_norm::Args norm;
  norm.g = list(g_), norm.norm = norm_, norm.factor = factor_, norm.max_norm = settings_.clip;
  ops.call(norm);

  adamw::Args args;
  args.p = list(p_), args.g = list(g_), args.m = list(m_), args.v = list(v_);
  args.master = list(master_), args.decay = decay_, args.grad_scale = factor_;
  args.lr_step = lr_step_, args.beta1 = settings_.beta1, args.beta2 = settings_.beta2;
  args.eps = settings_.eps, args.weight_decay = settings_.weight_decay;
  ops.call(args);
}

void Optimizer::upload_constants(const harness::Device& device) const {
  upload_floats(device, decay_, decays_);
}

std::vector<Named> Optimizer::state() const {
  std::vector<Named> all;
  for (std::size_t i = 0; i < p_.size(); ++i) {
    all.push_back({names_[i] + ".m", m_[i]});
    all.push_back({names_[i] + ".v", v_[i]});
    if (has_master()) all.push_back({names_[i] + ".master", master_[i]});
  }
  return all;
}

}  // namespace warpath::models
