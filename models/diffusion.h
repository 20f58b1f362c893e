// The way from an image to noise and back: how much of the signal is left at each time, and images drawn by DDPM or DDIM.
#pragma once
#include <optional>
#include <vector>

#include "models/dit.h"

namespace warpath::models {

// alpha_bar[t], the share of the signal after step t of config.times.
//   linear: 1 - alpha grows evenly from 1e-4 to 0.02 for 1000 steps (Ho et al. 2020), for fewer steps in proportion
//   cosine: cos^2 of an angle that grows evenly to a right one, no step above 0.999 (Nichol and Dhariwal 2021)
std::vector<float> alpha_bar_of(const Config& config);

struct Drawing {
  bool ddim = true;
  std::int64_t steps = 25;
  double eta = 0;  // of DDIM: 0 adds no noise on the way, 1 as much as DDPM
  std::uint64_t seed = 0;
};

// The times that a drawing of that many steps visits, from noise to image: evenly spread, the last one is 0.
std::vector<std::int32_t> times_of(std::int64_t times, std::int64_t steps);

class ImageDrawer {
 public:
  ImageDrawer(Backend& backend, const Config& config, DType dtype, std::int64_t images);

  const Parameters& parameters() const { return model_->parameters(); }
  // (images, channels, size, size), nominally between -1 and 1.
  std::vector<float> draw(const Drawing& drawing);

 private:
  void step(const Drawing& drawing, std::int32_t time, std::int32_t previous, std::int64_t number);

  Backend& backend_;
  Config config_;
  Ops ops_;
  std::optional<Memory> memory_;
  std::optional<Dit> model_;
  Tensor prediction_, previous_;
};

}  // namespace warpath::models
