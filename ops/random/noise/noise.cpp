#include "ops/random/noise/noise.h"

#include <algorithm>
#include <cmath>

#include "core/host/parallel.h"
#include "core/host/registry.h"
#include "core/thread/philox.cuh"
#include "ops/random/reference_normal.h"

namespace warpath::noise {

// The leading binary digits that the type of the result holds; of float64 as many as of a float.
static double leading(std::uint32_t word, DType dtype) {
  const int digits = dtype == DType::f64 ? 24 : info(dtype).mantissa_bits + 1;
  return static_cast<double>(word >> (32 - digits)) * std::exp2(-digits);
}

static void reference(const Args& args, const Args& scale) {
  double *y = args.y.as<double>(), *s = scale.y.as<double>();
  const DType dtype = scale.y.dtype;
  const double by = static_cast<float>(args.scale), shift = static_cast<float>(args.shift);
  const auto seed = static_cast<std::uint64_t>(args.seed);
  const auto offset = static_cast<std::uint64_t>(args.offset);
  parallel_for(args.y.size(), 1 << 14, [=, &args](std::int64_t i) {
    if (args.distribution == Distribution::normal) {
      const ReferenceNormal normal = reference_normal(i, seed, offset);
      y[i] = shift + by * normal.value;
      s[i] = std::abs(by) * normal.scale;
      return;
    }
    const std::uint32_t word =
        philox(philox_counter(static_cast<std::uint64_t>(i / 4), offset), seed).at[i % 4];
    const double draw = args.distribution == Distribution::uniform
                            ? leading(word, dtype)
                            : (static_cast<double>(word) < std::floor(args.p * 0x1p32) ? 1 : 0);
    y[i] = shift + by * draw;
    s[i] = std::abs(by) * draw + std::abs(shift);
  });
}

// Uniform numbers and coins are exact before the product, and that may be rounded before the sum. Normal ones are as
// good as the functions that make them: see reference_normal.h.
static Tolerance tolerance(const Args& args) {
  const bool plain = args.scale == 1 && args.shift == 0;
  if (args.distribution == Distribution::normal)
    return {.out_ulps = 1, .f32_ulps = normal_f32_ulps};
  return plain ? Tolerance{.out_ulps = 0} : Tolerance{.out_ulps = 1, .f32_ulps = 0.5};
}

// Nothing is read. The generator's integer operations are the price of this way, as in dropout.
static Cost cost(const Args& args) {
  return {.flops = 2.0 * static_cast<double>(args.y.size()),
          .bytes = static_cast<double>(args.y.bytes())};
}

static std::vector<Case> cases() {
  using Scalars = std::map<std::string, Value>;
  const auto sized = [](const char* name, const char* distribution, std::int64_t n, Scalars scalars,
                        Case c = {}) {
    c.name = name;
    c.dims = {{"n", n}};
    c.scalars = std::move(scalars);
    c.scalars.emplace("distribution", distribution);
    return c;
  };
  // Seeds and offsets of which all 64 bits count: a number above 2^53 here has zeros at its end.
  const std::int64_t high = std::int64_t{0x0123456789abcdef} & ~std::int64_t{0xfff};
  const Scalars plain = {{"seed", 1234}, {"offset", 5}};
  std::vector<Case> all = {
      sized("empty", "normal", 0, plain),
      sized("one", "normal", 1, plain),
      sized("group+1", "normal", 5, plain),
      sized("block+1", "normal", 1025, plain),
      sized("prime", "normal", 5003, {{"seed", 7}}),
      sized("misaligned", "normal", 2051, plain, {.offset = 1}),
      sized("half-aligned", "normal", 1026, plain, {.offset = 2}),
      sized("in place", "normal", 3001, plain, {.in_place = {"y"}}),
      sized("weights", "normal", 1500, {{"seed", 3}, {"scale", 0.02}}),
      sized("shifted", "normal", 1500, {{"seed", 3}, {"scale", -3}, {"shift", 10}}),
      sized("negative seed", "normal", 1000, {{"seed", -1}, {"offset", -1}}),
      sized("high seed", "normal", 1000, {{"seed", high}, {"offset", 1}}),
      sized("high offset", "normal", 1000, {{"seed", 1}, {"offset", high}}),
      // Word 0 of its second call is 247: cut to 24 digits that is 0, which has no logarithm.
      sized("nearly no bits", "normal", 8, {{"seed", 6786339}}),
      // Word 2 of its first call is nearly 2^32: the radius is zero.
      sized("nearly all bits", "normal", 8, {{"seed", 2871038}}),
      sized("uniform", "uniform", 5003, plain),
      sized("uniform in place", "uniform", 2050, {{"seed", 3}}, {.in_place = {"y"}, .offset = 1}),
      sized("uniform scaled", "uniform", 2050, {{"seed", 3}, {"scale", 2}, {"shift", -1}}),
      sized("coins", "bernoulli", 2051, plain),
      sized("rare", "bernoulli", 2051, {{"seed", 9}, {"p", 0.1}}, {.offset = 1}),
      sized("signs", "bernoulli", 1500, {{"seed", 9}, {"scale", 2}, {"shift", -1}}),
      sized("never", "bernoulli", 300, {{"seed", 9}, {"p", 0}}),
      sized("always", "bernoulli", 300, {{"seed", 9}, {"p", 1}}),
  };
  const std::vector<DType> timed = {DType::f32, DType::bf16};
  all.push_back(sized("normal 64Mi", "normal", 64 << 20, plain, {.dtypes = timed, .bench = true}));
  all.push_back(
      sized("uniform 64Mi", "uniform", 64 << 20, plain, {.dtypes = timed, .bench = true}));
  all.push_back(
      sized("coins 64Mi", "bernoulli", 64 << 20, plain, {.dtypes = {DType::bf16}, .bench = true}));
  all.push_back(sized("normal odd", "normal", (32 << 20) + 7, plain,
                      {.dtypes = {DType::f32}, .bench = true}));
  return all;
}

WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost, .tolerance = tolerance);

}  // namespace warpath::noise
