#include "ops/matmul/matmul/matmul.h"

#include <algorithm>
#include <cmath>

#include "core/host/parallel.h"
#include "core/host/product.h"
#include "core/host/registry.h"
#include "ops/matmul/matmul/reference.h"

namespace warpath::matmul {

static double activate(Activation activation, double x) {
  switch (activation) {
    case Activation::none:
      return x;
    case Activation::relu:
      return x < 0 ? 0 : x;  // NaN stays
    case Activation::gelu:
      return x / 2 * (1 + std::tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));
    case Activation::silu:
      return x / (1 + std::exp(-x));
  }
  return x;
}

// Rounding errors of a sum of products grow with the sum of |a| |b|, which is at most the length of
// the row of a times that of the column of b (Cauchy-Schwarz). That costs no second product.
static std::vector<double> norms(const double* x, std::int64_t rows, std::int64_t cols,
                                 bool of_rows) {
  const std::int64_t n = of_rows ? rows : cols;
  std::vector<double> norms(static_cast<std::size_t>(n));
  parallel_for(n, 64, [&](std::int64_t begin, std::int64_t end) {
    double* const s = norms.data();
    if (of_rows) {
      for (std::int64_t r = begin; r < end; ++r)
        for (std::int64_t c = 0; c < cols; ++c) s[r] += x[r * cols + c] * x[r * cols + c];
    } else {
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = begin; c < end; ++c) s[c] += x[r * cols + c] * x[r * cols + c];
    }
    for (std::int64_t i = begin; i < end; ++i) s[i] = std::sqrt(s[i]);
  });
  return norms;
}

static void reference(const Args& args, const Args& scale) {
  const std::int64_t m = args.m(), n = args.n(), k = args.k();
  const double alpha = static_cast<float>(args.alpha), beta = static_cast<float>(args.beta);
  for (std::int64_t q = 0; q < args.batch(); ++q) {
    const double* a = args.a.as<double>() + q * m * k;
    const double* b = args.b.as<double>() + q * k * n;
    double* d = args.d.as<double>() + q * m * n;
    double* s = scale.d.as<double>() + q * m * n;
    product(a, b, d, m, n, k);
    const std::vector<double> of_a = norms(a, m, k, true), of_b = norms(b, k, n, false);
    parallel_for(m, 16, [&](std::int64_t i) {
      for (std::int64_t j = 0; j < n; ++j) {
        const double c = args.has_c() ? beta * args.c.as<double>()[(q * m + i) * n + j] : 0;
        const double bias = args.has_bias() ? args.bias.as<double>()[j] : 0;
        const double x = alpha * d[i * n + j] + c + bias;
        d[i * n + j] = activate(args.activation, x);
        s[i * n + j] = std::abs(alpha) * of_a[static_cast<std::size_t>(i)] *
                           of_b[static_cast<std::size_t>(j)] +
                       std::abs(c) + std::abs(bias);
      }
    });
  }
}

// Against those lengths, k for ordinary numbers, a chain of k additions in float errs by about a
// third of a unit: its error grows as k too, by chance. Tensor cores cut off where a float would
// round, all to one side, and that adds up. tf32 drops 13 bits of each input, up to 2^-9 of a
// product.
static Tolerance tolerance(const Args& args) {
  const double root = std::sqrt(static_cast<double>(std::max<std::int64_t>(args.k(), 1)));
  double units = args.a.dtype == DType::f32 && !args.tf32 ? 4 : 4 + root / 8;
  if (args.tf32) units += 0x1p14 * std::min(1.0, 6 / root);
  return {.out_ulps = 1, .f32_ulps = units};
}

static Cost cost(const Args& args) {
  const double elements = static_cast<double>(args.d.size());
  double bytes = static_cast<double>(args.a.bytes() + args.b.bytes() + args.d.bytes());
  if (args.c.rank > 0 && args.beta != 0) bytes += static_cast<double>(args.c.bytes());
  if (args.bias.rank > 0) bytes += static_cast<double>(args.bias.bytes());
  return {.flops = 2 * elements * static_cast<double>(args.k()), .bytes = bytes};
}

WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost, .tolerance = tolerance);

}  // namespace warpath::matmul
