// AdamW over all parameters at once: moments in f32, and f32 master weights where the parameters have 16 bits. The norm of
// the gradients and the factor that clips them stay on the device.
#pragma once
#include <vector>

#include "models/call.h"
#include "models/parameters.h"

namespace warpath::models {

struct AdamSettings {
  double beta1 = 0.9, beta2 = 0.95, eps = 1e-8;
  double weight_decay = 0.1;  // of matrices
  double clip = 1;            // the largest norm of all gradients together
};

class Optimizer {
 public:
  // `gradients`: one per parameter, in its order.
  Optimizer(const Parameters& parameters, const std::vector<Tensor>& gradients,
            const AdamSettings& settings, Memory& memory);

  // What the next step() reads, on the device: a recorded graph would repeat arguments. Steps count from 1.
  void set(const harness::Device& device, double rate, std::int64_t step) const;
  void step(Ops& ops) const;

  const Tensor& norm() const { return norm_; }
  void upload_constants(const harness::Device& device) const;
  // The f32 weights: the master where there is one.
  const std::vector<Tensor>& weights() const { return master_.empty() ? p_ : master_; }
  // Both moments and the master weights where there are any, with names: what a checkpoint needs beside the parameters.
  std::vector<Named> state() const;
  bool has_master() const { return !master_.empty(); }

 private:
  AdamSettings settings_;
  std::vector<std::string> names_;
  std::vector<Tensor> p_, g_, m_, v_, master_;  // each flat
  std::vector<float> decays_;
  Tensor decay_, norm_, factor_, lr_step_;
};

}  // namespace warpath::models
