// The two steps of a diffusion model (DDPM, Ho et al. 2020; DDIM, Song et al. 2021), each sample at its own time.
// alpha_bar[t] is the share of the signal that is left after step t; a is alpha_bar[t] of the sample, z a normal number.
//   ddpm_noise, of training:  noised = sqrt(a) x0 + sqrt(1 - a) z, and eps = z, what the model has to predict
//   ddpm_step, of sampling, from t to an earlier time `previous` with b = alpha_bar[previous]; before the first, b = 1:
//     x0   = (x - sqrt(1 - a) eps) / sqrt(a), kept between -clip and clip where clip > 0
//     s^2  = (1 - b) / (1 - a) * (b - a) / b, and 0 where that is negative
//     ddpm: y = sqrt(b) (b - a) / (b (1 - a)) x0 + sqrt(a / b) (1 - b) / (1 - a) x + s z
//     ddim: y = sqrt(b) x0 + sqrt(1 - b - (eta s)^2) eps + eta s z
// Without `previous` it is t - 1. z of element i is that of `noise` for the same seed, offset and tensor; it is computed
// where it is used and never stored. Every t must be inside the table, `previous` too or -1, and the table between 0
// and 1, both excluded: a kernel does not check them.
#pragma once
#include "core/host/error.h"
#include "core/host/rung.h"

namespace warpath::ddpm_step {

struct Noise {
  static constexpr const char* op = "ddpm_noise";
  Tensor x0, alpha_bar, t, noised, eps;
  std::int64_t seed = 0, offset = 0;

  static Contract contract() {
    return Contract(op, "noised = sqrt(a) x0 + sqrt(1 - a) eps, a = alpha_bar[t], eps drawn here")
        .in("x0", &Noise::x0, {"batch", "size"}, {DType::f32, DType::f16, DType::bf16})
        .in("alpha_bar", &Noise::alpha_bar, {"steps"}, {DType::f32})
        .in("t", &Noise::t, {"batch"}, {DType::i64, DType::i32})
        .index()
        .out("noised", &Noise::noised, {"batch", "size"}, "x0")
        .out("eps", &Noise::eps, {"batch", "size"}, "x0")
        .integer("seed", &Noise::seed, 0)
        .integer("offset", &Noise::offset, 0)
        .after({"noise"});
  }
};

enum class Sampler : int { ddpm, ddim };

struct Step {
  static constexpr const char* op = "ddpm_step";
  Tensor x, eps, alpha_bar, t, previous, y;
  Sampler sampler = Sampler::ddpm;
  double eta = 0, clip = 0;
  std::int64_t seed = 0, offset = 0;

  static Contract contract() {
    return Contract(op,
                    "y = x one step of DDPM or DDIM nearer to the image, from the noise predicted")
        .in("x", &Step::x, {"batch", "size"}, {DType::f32, DType::f16, DType::bf16})
        .in("eps", &Step::eps, {"batch", "size"}, "x")
        .in("alpha_bar", &Step::alpha_bar, {"steps"}, {DType::f32})
        .in("t", &Step::t, {"batch"}, {DType::i64, DType::i32})
        .index()
        .in("previous", &Step::previous, {"batch"}, "t")
        .index()
        .optional()
        .out("y", &Step::y, {"batch", "size"}, "x")
        .in_place("x")
        .choice("sampler", &Step::sampler, {"ddpm", "ddim"})
        .real("eta", &Step::eta, 0)  // of ddim: 0 adds no noise, 1 as much as ddpm
        .real("clip", &Step::clip, 0)
        .integer("seed", &Step::seed, 0)
        .integer("offset", &Step::offset, 0)
        .after({"ddpm_noise"});
  }
};

inline void check_step(const Step& args) {
  WARPATH_CHECK(args.eta >= 0 && args.eta <= 1, "ddpm_step: eta must be between 0 and 1");
  WARPATH_CHECK(args.clip >= 0, "ddpm_step: clip must not be negative");
}

}  // namespace warpath::ddpm_step
