#include "ops/random/ddpm_step/ddpm_step.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/host/indices.h"
#include "core/host/parallel.h"
#include "core/host/registry.h"
#include "ops/random/reference_normal.h"

namespace warpath::ddpm_step {

// alpha_bar at an index; 1 before the first step. Python calls the references with whatever it was given.
static double share(const Tensor& alpha_bar, const Tensor& index, std::int64_t sample,
                    std::int64_t least) {
  const std::int64_t t = index.as<std::int64_t>()[sample];
  if (t < least || t >= alpha_bar.shape[0])
    throw Error("warpath::ddpm_step: step " + std::to_string(t) + " is outside a schedule of " +
                std::to_string(alpha_bar.shape[0]));
  return t < 0 ? 1 : alpha_bar.as<double>()[t];
}

static void noise_reference(const Noise& args, const Noise& scale) {
  const std::int64_t size = args.x0.shape[1];
  parallel_for(args.x0.size(), 1 << 12, [&](std::int64_t i) {
    const double a = share(args.alpha_bar, args.t, i / size, 0);
    const ReferenceNormal z = reference_normal(i, static_cast<std::uint64_t>(args.seed),
                                               static_cast<std::uint64_t>(args.offset));
    const double x0 = args.x0.as<double>()[i], signal = std::sqrt(a), spread = std::sqrt(1 - a);
    args.noised.as<double>()[i] = signal * x0 + spread * z.value;
    args.eps.as<double>()[i] = z.value;
    scale.noised.as<double>()[i] = std::abs(signal * x0) + spread * z.scale;
    scale.eps.as<double>()[i] = z.scale;
  });
}

static void step_reference(const Step& args, const Step& scale) {
  const std::int64_t size = args.x.shape[1];
  check_step(args);
  parallel_for(args.x.size(), 1 << 12, [&](std::int64_t i) {
    const double a = share(args.alpha_bar, args.t, i / size, 0);
    const std::int64_t t = args.t.as<std::int64_t>()[i / size];
    const double b = args.previous.rank > 0 ? share(args.alpha_bar, args.previous, i / size, -1)
                     : t > 0                ? args.alpha_bar.as<double>()[t - 1]
                                            : 1;
    const double x = args.x.as<double>()[i], eps = args.eps.as<double>()[i];
    const double spread = std::sqrt(1 - a), unscale = 1 / std::sqrt(a);
    const double variance = std::max((1 - b) / (1 - a) * (b - a) / b, 0.0);
    double x0 = (x - spread * eps) * unscale;
    // What x0 is made of may be larger than x0, and is what roundings are measured by.
    double parts = (std::abs(x) + std::abs(spread * eps)) * unscale;
    const double clip = static_cast<float>(args.clip);
    if (clip > 0 && std::abs(x0) > clip) x0 = std::copysign(clip, x0);
    const bool ddim = args.sampler == Sampler::ddim;
    const double sigma = (ddim ? args.eta : 1) * std::sqrt(variance);
    const double of_x0 = ddim ? std::sqrt(b) : std::sqrt(b) * (b - a) / (b * (1 - a));
    // Rounded, the difference can fall below zero.
    const double other = ddim ? std::sqrt(std::max(1 - b - sigma * sigma, 0.0)) * eps
                              : std::sqrt(a / b) * (1 - b) / (1 - a) * x;
    const ReferenceNormal z = reference_normal(i, static_cast<std::uint64_t>(args.seed),
                                               static_cast<std::uint64_t>(args.offset));
    args.y.as<double>()[i] = of_x0 * x0 + other + sigma * z.value;
    scale.y.as<double>()[i] = std::abs(of_x0) * parts + std::abs(other) + sigma * z.scale;
  });
}

// A schedule as DDPM has it, linear in beta, for any number of steps; times inside it.
static void prepare_schedule(const Tensor& alpha_bar, const Tensor& t) {
  const std::int64_t steps = alpha_bar.shape[0];
  double left = 1;
  for (std::int64_t k = 0; k < steps; ++k) {
    const double at = steps > 1 ? static_cast<double>(k) / static_cast<double>(steps - 1) : 0.5;
    left *= 1 - std::min(0.5, (1e-4 + (0.02 - 1e-4) * at) * 1000 / static_cast<double>(steps));
    alpha_bar.as<double>()[k] = left;
  }
  for (std::int64_t i = 0; i < t.size(); ++i) t.as<std::int64_t>()[i] %= steps;
}
static void prepare(const Noise& args) {
  prepare_schedule(args.alpha_bar, args.t);
}
// The first sample is at the first step and the next one at the last.
static void prepare(const Step& args) {
  prepare_schedule(args.alpha_bar, args.t);
  std::int64_t* const t = args.t.as<std::int64_t>();
  if (args.t.size() > 0) t[0] = 0;
  if (args.t.size() > 1) t[1] = args.alpha_bar.shape[0] - 1;
  if (args.previous.rank == 0) return;
  std::int64_t* const previous = args.previous.as<std::int64_t>();
  for (std::int64_t i = 0; i < args.t.size(); ++i) previous[i] = previous[i] % (t[i] + 1) - 1;
}

// A dozen roundings in the factors, of half a unit each, and the noise's own: see reference_normal.h.
template <class Args>
static Tolerance tolerance(const Args&) {
  return {.out_ulps = 1, .f32_ulps = normal_f32_ulps};
}

static Cost cost(const Noise& args) {
  return {.flops = 3.0 * static_cast<double>(args.x0.size()),
          .bytes = 3.0 * static_cast<double>(args.x0.bytes()) +
                   static_cast<double>(args.t.bytes() + args.alpha_bar.bytes())};
}
static Cost cost(const Step& args) {
  const double tables = static_cast<double>(args.t.bytes() + args.alpha_bar.bytes());
  return {.flops = 8.0 * static_cast<double>(args.x.size()),
          .bytes = 3.0 * static_cast<double>(args.x.bytes()) + tables};
}

using Scalars = std::map<std::string, Value>;

static Case sized(const char* name, std::int64_t batch, std::int64_t size, std::int64_t steps,
                  Scalars scalars, Case c = {}) {
  c.name = name;
  c.dims = {{"batch", batch}, {"size", size}, {"steps", steps}};
  c.scalars = std::move(scalars);
  return c;
}

static const std::map<std::string, DType> narrow = {{"t", DType::i32}};
static const std::vector<DType> timed = {DType::f32, DType::bf16};

static std::vector<Case> noise_cases() {
  const Scalars plain = {{"seed", 1234}, {"offset", 5}};
  const std::int64_t high = std::int64_t{0x0123456789abcdef} & ~std::int64_t{0xfff};
  return {
      sized("empty", 0, 8, 3, plain),
      sized("empty samples", 3, 0, 3, plain),
      sized("one", 1, 1, 1, plain),
      sized("odd samples", 5, 101, 1000, plain),
      sized("vectors", 3, 1032, 1000, {{"seed", 7}}),
      sized("several blocks", 2, 4104, 50, {{"seed", 8}, {"offset", 1}}),
      sized("narrow", 9, 40, 20, plain, {.types = narrow}),
      sized("misaligned", 3, 264, 20, plain, {.offset = 1}),
      sized("high", 3, 72, 20, {{"seed", high}, {"offset", -1}}),
      sized("special", 6, 200, 1000, plain, {.fill = Fill::special}),
      sized("Stable Diffusion", 256, 4 * 64 * 64, 1000, plain, {.dtypes = timed, .bench = true}),
      sized("256 x 256", 64, 3 * 256 * 256, 1000, plain, {.dtypes = timed, .bench = true}),
      sized("odd", 4096, 28 * 28, 1000, plain, {.dtypes = {DType::bf16}, .bench = true}),
  };
}

static std::vector<Case> step_cases() {
  const auto ddim = [](double eta) {
    return Scalars{{"seed", 3}, {"sampler", "ddim"}, {"eta", eta}};
  };
  const Scalars plain = {{"seed", 1234}, {"offset", 5}};
  const std::vector<std::string> each = {"previous"};
  return {
      sized("empty", 0, 8, 3, plain),
      sized("empty samples", 3, 0, 3, plain, {.without = each}),
      sized("one", 1, 1, 1, plain, {.without = each}),
      sized("odd samples", 5, 101, 1000, plain, {.without = each}),
      sized("tiny samples", 40, 3, 100, plain),
      sized("vectors", 3, 1032, 1000, plain, {.without = each}),
      sized("several blocks", 2, 4104, 50, {{"seed", 8}, {"offset", 1}}),
      sized("jumps", 6, 120, 1000, plain),
      sized("clipped", 5, 136, 1000, {{"seed", 2}, {"clip", 1}}, {.without = each}),
      sized("in place", 4, 128, 1000, plain, {.in_place = {"y"}}),
      sized("narrow", 9, 40, 20, plain, {.types = narrow}),
      sized("misaligned", 3, 264, 20, plain, {.without = each, .offset = 1}),
      sized("ddim", 5, 264, 1000, ddim(0)),
      sized("ddim odd", 7, 29, 1000, ddim(0), {.without = each}),
      sized("ddim half", 5, 264, 1000, ddim(0.5)),
      sized("ddim full", 5, 264, 1000, ddim(1), {.without = each}),
      sized("ddim clipped", 5, 101, 1000,
            {{"seed", 2}, {"clip", 1.5}, {"sampler", "ddim"}, {"eta", 0.25}}),
      sized("special", 6, 200, 1000, plain, {.fill = Fill::special}),
      sized("special clipped", 6, 200, 1000, {{"seed", 2}, {"clip", 1}},
            {.fill = Fill::special, .without = each}),
      sized("Stable Diffusion", 256, 4 * 64 * 64, 1000, plain,
            {.without = each, .dtypes = timed, .bench = true}),
      sized("256 x 256", 64, 3 * 256 * 256, 1000, {{"seed", 1}, {"clip", 1}},
            {.without = each, .dtypes = timed, .bench = true}),
      sized("DDIM", 256, 4 * 64 * 64, 1000, ddim(0), {.dtypes = timed, .bench = true}),
      sized("odd", 4096, 28 * 28, 1000, plain,
            {.without = each, .dtypes = {DType::bf16}, .bench = true}),
  };
}

static void check(const Noise& args) {
  check_indices("t", args.t, 0, args.alpha_bar.shape[0] - 1);
}
static void check(const Step& args) {
  check_indices("t", args.t, 0, args.alpha_bar.shape[0] - 1);
  check_indices("previous", args.previous, -1, args.alpha_bar.shape[0] - 1);
}

WARPATH_OP(Noise, .reference = noise_reference, .cases = noise_cases, .cost = cost,
           .tolerance = tolerance<Noise>, .prepare = prepare, .check = check);
WARPATH_OP(Step, .reference = step_reference, .cases = step_cases, .cost = cost,
           .tolerance = tolerance<Step>, .prepare = prepare, .check = check);

}  // namespace warpath::ddpm_step
