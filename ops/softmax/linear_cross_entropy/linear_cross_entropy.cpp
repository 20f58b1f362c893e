#include "ops/softmax/linear_cross_entropy/linear_cross_entropy.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/host/error.h"
#include "core/host/parallel.h"
#include "core/host/registry.h"
#include "ops/softmax/smoothing.h"

namespace warpath::linear_cross_entropy {
namespace {

double dot(const double* a, const double* b, std::int64_t n) {
  double sum[4] = {};  // four chains: as many additions at once
  std::int64_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (int q = 0; q < 4; ++q) sum[q] += a[i + q] * b[i + q];
  for (; i < n; ++i) sum[0] += a[i] * b[i];
  return sum[0] + sum[1] + sum[2] + sum[3];
}

// Errors are measured in roundings to the type of hidden. Logits are rounded to it, so a logit x
// is off by up to |x| of them (or, in f32, by what its sum lost: its typical size), dlogits by what
// that makes of the softmax, and by a rounding of their own. Sums of such errors grow as the root of
// the sum of squares.
void reference(const Args& args, const Args& scale) {
  const std::int64_t rows = args.rows(), words = args.words(), width = args.width();
  const double *hidden = args.hidden.as<double>(), *weight = args.weight.as<double>();
  const auto* labels = args.labels.as<std::int64_t>();
  // Python calls this for float64 tensors, with whatever labels it was given.
  for (std::int64_t r = 0; r < args.labels.size(); ++r)
    if (labels[r] != args.ignore_index && (labels[r] < 0 || labels[r] >= args.words()))
      throw Error("warpath::linear_cross_entropy: label " + std::to_string(labels[r]) +
                  " is no word of " + std::to_string(args.words()));
  const double smoothing = static_cast<float>(args.label_smoothing);
  const auto counted =
      static_cast<double>(rows - std::count(labels, labels + rows, args.ignore_index));
  const double divisor = args.reduction == Reduction::mean ? counted : 1;
  const double step = static_cast<float>(args.grad_scale) / divisor;
  const auto n = static_cast<double>(words), root = std::sqrt(static_cast<double>(width));
  std::vector<double> length(static_cast<std::size_t>(words)), own(static_cast<std::size_t>(rows));
  parallel_for(words, 64, [&](std::int64_t c) {
    length[static_cast<std::size_t>(c)] =
        std::sqrt(dot(weight + c * width, weight + c * width, width)) / root;
  });
  std::vector<double> slopes(static_cast<std::size_t>(rows * words)), errors(slopes.size());

  parallel_for(rows, 1, [&](std::int64_t r) {
    const double* h = hidden + r * width;
    const double size = std::sqrt(dot(h, h, width));
    own[static_cast<std::size_t>(r)] = size / root;
    std::vector<double> x(static_cast<std::size_t>(words)), off(x.size());
    double max = -HUGE_VAL, sum = 0, all = 0;
    for (std::int64_t c = 0; c < words; ++c) {
      const auto i = static_cast<std::size_t>(c);
      x[i] = dot(h, weight + c * width, width);
      off[i] = std::abs(x[i]) + size * length[i];
      max = std::max(max, x[i]);
      all += x[i];
    }
    for (const double v : x) sum += std::exp(v - max);
    double common = 0;  // how far off the logarithm of the sum is
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double p = std::exp(x[i] - max) / sum;
      common += p * off[i] * p * off[i];
    }
    common = std::sqrt(common);
    const std::int64_t label = labels[r];
    const bool ignored = label == args.ignore_index;
    double loss = 0, loss_error = 0;
    if (!ignored) {
      const double log = std::log(sum) + max, logit = x[static_cast<std::size_t>(label)];
      loss = (1 - smoothing) * (log - logit) + smoothing * (log - all / n);
      loss_error = common + std::abs(log) + off[static_cast<std::size_t>(label)];
    }
    args.loss.as<double>()[r] = loss;
    scale.loss.as<double>()[r] = loss_error;

    double* dh = args.dhidden.as<double>() + r * width;
    std::fill(dh, dh + width, 0.0);
    double squares = 0;
    for (std::int64_t c = 0; c < words; ++c) {
      const auto i = static_cast<std::size_t>(c);
      const double p = std::exp(x[i] - max) / sum;
      const double target = smoothing / n + (c == label ? 1 - smoothing : 0);
      const double slope = ignored ? 0 : step * (p - target);
      const double error = ignored ? 0 : std::abs(step) * p * (off[i] + common) + std::abs(slope);
      slopes[static_cast<std::size_t>(r * words + c)] = slope;
      errors[static_cast<std::size_t>(r * words + c)] = error;
      squares += error * length[i] * error * length[i];
      for (std::int64_t k = 0; k < width; ++k) dh[k] += slope * weight[c * width + k];
    }
    for (std::int64_t k = 0; k < width; ++k)
      scale.dhidden.as<double>()[r * width + k] = std::sqrt(squares);
  });

  parallel_for(words, 1, [&](std::int64_t c) {
    double* dw = args.dweight.as<double>() + c * width;
    std::fill(dw, dw + width, 0.0);
    double squares = 0;
    for (std::int64_t r = 0; r < rows; ++r) {
      const double slope = slopes[static_cast<std::size_t>(r * words + c)];
      const double error =
          errors[static_cast<std::size_t>(r * words + c)] * own[static_cast<std::size_t>(r)];
      squares += error * error;
      for (std::int64_t k = 0; k < width; ++k) dw[k] += slope * hidden[r * width + k];
    }
    for (std::int64_t k = 0; k < width; ++k)
      scale.dweight.as<double>()[c * width + k] = std::sqrt(squares);
  });

  double total = 0, error = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    total += args.loss.as<double>()[r];
    error += std::abs(args.loss.as<double>()[r]) + scale.loss.as<double>()[r];
  }
  args.total.as<double>()[0] = total / divisor;
  scale.total.as<double>()[0] = error / divisor;
}

// Weights of a size that makes logits of about 2; random labels become words, one in five ignored.
void prepare(const Args& args) {
  const double shrink = 2 / std::sqrt(static_cast<double>(std::max<std::int64_t>(args.width(), 1)));
  double* weight = args.weight.as<double>();
  parallel_for(args.weight.size(), 1 << 16, [=](std::int64_t i) { weight[i] *= shrink; });
  auto* labels = args.labels.as<std::int64_t>();
  for (std::int64_t r = 0; r < args.labels.size(); ++r) {
    const bool ignored = r > 0 && labels[r] / args.words() % 5 == 0;
    labels[r] = ignored ? args.ignore_index : labels[r] % args.words();
  }
}

// Two units in the last place are four roundings of half a unit, and a sum of independent ones is
// seldom over three times the root of their squares.
Tolerance tolerance(const Args& args) {
  const double unit = args.hidden.dtype == DType::f32   ? 1
                      : args.hidden.dtype == DType::f16 ? 0x1p13
                                                        : 0x1p16;
  const double chain = std::sqrt(static_cast<double>(std::max(args.rows(), args.words())));
  return {.out_ulps = 1, .f32_ulps = 2 * unit + 8 + chain};
}

// Three products; softmax and its gradient are nine operations per logit.
Cost cost(const Args& args) {
  const double logits = static_cast<double>(args.rows()) * static_cast<double>(args.words());
  return {.flops = logits * (6.0 * static_cast<double>(args.width()) + 9),
          .bytes = 2.0 * static_cast<double>(args.hidden.bytes() + args.weight.bytes()) +
                   static_cast<double>(args.labels.bytes() + args.loss.bytes())};
}

Case sized(const char* name, std::int64_t rows, std::int64_t words, std::int64_t width,
           Case c = {}) {
  c.name = name;
  c.dims = {{"rows", rows}, {"words", words}, {"width", width}};
  return c;
}

std::vector<Case> cases() {
  return {
      sized("empty", 0, 8, 8),
      sized("one", 1, 1, 1),
      sized("all ignored", 5, 1, 8, {.scalars = {{"ignore_index", 0}}}),
      sized("primes", 13, 31, 7),
      sized("several chunks", 70, 50, 24, {.scalars = {{"label_smoothing", 0.2}}}),
      sized("tile+1", 129, 129, 40, {.scalars = {{"reduction", "sum"}, {"grad_scale", 0.5}}}),
      sized("tile-1", 127, 255, 64,
            {.scalars = {{"label_smoothing", 0.1}}, .types = {{"labels", DType::i32}}}),
      sized("few rows, many words", 3, 700, 32,
            {.scalars = {{"reduction", "none"}, {"label_smoothing", 0.3}}}),
      sized("several slices", 5, 8500, 16,
            {.scalars = {{"reduction", "sum"}, {"grad_scale", 256}, {"label_smoothing", 0.1}}}),
      sized("wide", 20, 33, 328, {.scalars = {{"ignore_index", 4}, {"label_smoothing", 0.2}}}),
      sized("misaligned", 20, 40, 16, {.offset = 1}),
      sized("GPT-2", 2048, 50257, 768, {.dtypes = {DType::bf16}, .bench = true}),
      sized("128256 words", 1024, 128256, 2048, {.dtypes = {DType::bf16}, .bench = true}),
  };
}

}  // namespace

WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost, .tolerance = tolerance,
           .prepare = prepare, .check = check_smoothing<Args>);

}  // namespace warpath::linear_cross_entropy
