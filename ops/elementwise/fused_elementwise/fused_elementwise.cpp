#include "ops/elementwise/fused_elementwise/fused_elementwise.h"

#include <cmath>
#include <numbers>

#include "core/host/parallel.h"
#include "core/host/registry.h"

namespace warpath::fused_elementwise {

static double activate(double z, Activation activation) {
  switch (activation) {
    case Activation::none:
      return z;
    case Activation::relu:
      return z <= 0 ? 0 : z;
    case Activation::gelu:
      return z * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (z + 0.044715 * z * z * z))) / 2;
    case Activation::silu:
      return z / (1 + std::exp(-z));
  }
  return z;
}

// Each step rounds a number no larger than the sum of the terms' magnitudes.
static void reference(const Args& args, const Args& scale) {
  const std::int64_t cols = args.x.shape[1];
  const double factor = static_cast<float>(args.scale);  // kernels get it as a float
  parallel_for(args.x.size(), 1 << 15, [&, cols, factor](std::int64_t i) {
    const double x = args.x.as<double>()[i];
    const double bias = args.bias.data ? args.bias.as<double>()[i % cols] : 0;
    const double residual = args.residual.data ? args.residual.as<double>()[i] : 0;
    args.y.as<double>()[i] = factor * (activate(x + bias, args.activation) + residual);
    scale.y.as<double>()[i] =
        std::abs(factor) * (std::abs(x) + std::abs(bias) + std::abs(residual));
  });
}

// Four roundings in the activation, as in gelu and silu; one each for the bias, the residual and the scale.
static Tolerance tolerance(const Args&) {
  return {.out_ulps = 1, .f32_ulps = 7};
}

static Cost cost(const Args& args) {
  static constexpr double operations[] = {0, 1, 8,
                                          5};  // by activation, tanh and exp counted as one
  const double n = static_cast<double>(args.x.size()), arrays = args.residual.rank > 0 ? 3 : 2;
  const double bias = args.bias.rank > 0 ? static_cast<double>(args.bias.bytes()) : 0;
  return {.flops = (3 + operations[static_cast<int>(args.activation)]) * n,
          .bytes = arrays * static_cast<double>(args.x.bytes()) + bias};
}

static std::vector<Case> cases() {
  const auto sized = [](const char* name, std::int64_t rows, std::int64_t cols,
                        const char* activation, double scale, Case c = {}) {
    c.name = name;
    c.dims = {{"rows", rows}, {"cols", cols}};
    c.scalars = {{"activation", activation}, {"scale", scale}};
    return c;
  };
  return {
      sized("empty", 0, 8, "relu", 1),
      sized("no columns", 4, 0, "relu", 1),
      sized("one", 1, 1, "gelu", 2),
      sized("columns of one", 530, 1, "silu", -1),
      sized("odd", 33, 65, "gelu", 0.5),
      sized("block+1", 3, 683, "relu", 1.25),
      sized("whole vectors", 9, 512, "silu", 0.75),
      sized("no bias", 9, 511, "gelu", 1, {.without = {"bias"}}),
      sized("no residual", 9, 512, "relu", 3, {.without = {"residual"}}),
      sized("x alone", 7, 300, "none", 0.1, {.without = {"bias", "residual"}}),
      sized("misaligned", 9, 256, "gelu", 1, {.offset = 1}),
      sized("misaligned bias", 9, 256, "silu", 1, {.offsets = {{"bias", 1}}}),
      sized("in place", 9, 260, "gelu", 1, {.in_place = {"y"}}),
      sized("special", 40, 64, "silu", 0.5, {.fill = Fill::special}),
      sized("ramp", 8, 300, "gelu", 1, {.fill = Fill::ramp}),
      sized("8k x 8k", 8192, 8192, "gelu", 1, {.bench = true}),
      sized("8k x 8k no residual", 8192, 8192, "relu", 1,
            {.without = {"residual"}, .dtypes = {DType::bf16}, .bench = true}),
      sized("8191 x 8193", 8191, 8193, "silu", 0.5, {.dtypes = {DType::bf16}, .bench = true}),
  };
}

WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost, .tolerance = tolerance);

}  // namespace warpath::fused_elementwise
