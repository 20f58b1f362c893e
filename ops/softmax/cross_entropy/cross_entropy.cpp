#include "ops/softmax/cross_entropy/cross_entropy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/host/parallel.h"
#include "core/host/registry.h"
#include "ops/softmax/smoothing.h"

namespace warpath::cross_entropy {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Row {
  double max = -infinity, sum = 0, logits = 0, magnitudes = 0;
  double spread = 0;  // sum of exp(x - max) * |x - max|: what a rounded difference costs the sum

  Row(const double* x, std::int64_t words) {
    for (std::int64_t c = 0; c < words; ++c) max = std::fmax(max, x[c]);
    for (std::int64_t c = 0; c < words; ++c) {
      const double e = std::exp(x[c] - shift());
      sum += e;
      if (e > 0) spread += e * std::abs(x[c] - shift());
      logits += x[c];
      magnitudes += std::abs(x[c]);
    }
  }
  double shift() const { return max == -infinity ? 0 : max; }
  double lse() const { return max + std::log(sum); }
  double lse_scale() const { return 1 + std::abs(lse()) + std::abs(max) + spread / sum; }
};

bool is_word(std::int64_t label, std::int64_t words) {
  return label >= 0 && label < words;
}

template <class Args>
double count_labels(const Args& args) {
  const auto* labels = args.labels.template as<std::int64_t>();
  return static_cast<double>(args.labels.size() -
                             std::count(labels, labels + args.labels.size(), args.ignore_index));
}

// Writes the gradient of one row: `weight` of the loss, `weight_lse` of lse, from p = exp(x - lse)
// and the relative error of each p.
template <class Args, class P>
void write_gradient(const Args& args, const Args& scale, std::int64_t r, double weight,
                    double weight_lse, P p) {
  const std::int64_t words = args.logits.shape[1];
  const std::int64_t label = args.labels.template as<std::int64_t>()[r];
  const double smoothing = static_cast<float>(args.label_smoothing);
  const bool ignored = label == args.ignore_index;
  if (ignored) weight = 0;
  if (!ignored && !is_word(label, words)) weight = std::nan("");
  double* to = args.dlogits.template as<double>() + r * words;
  double* s = scale.dlogits.template as<double>() + r * words;
  for (std::int64_t c = 0; c < words; ++c) {
    const auto [value, error] = p(c);
    const double target = smoothing / static_cast<double>(words) + (c == label ? 1 - smoothing : 0);
    to[c] = ignored && weight_lse == 0 ? 0 : (weight + weight_lse) * value - weight * target;
    s[c] = std::abs(weight + weight_lse) * error + std::abs(weight) * target;
  }
}

// Also of the gradient, where the args have one.
template <class Args>
void forward_reference(const Args& args, const Args& scale) {
  const std::int64_t rows = args.logits.shape[0], words = args.logits.shape[1];
  const auto* labels = args.labels.template as<std::int64_t>();
  const bool mean = args.reduction == Reduction::mean;
  const double counted = count_labels(args), smoothing = static_cast<float>(args.label_smoothing);
  parallel_for(rows, 1, [&](std::int64_t r) {
    const double* x = args.logits.template as<double>() + r * words;
    const Row row(x, words);
    double loss = 0, error = 0;
    if (labels[r] != args.ignore_index && is_word(labels[r], words)) {
      const double logit = x[labels[r]], log = std::log(row.sum);
      loss = row.max - logit + log;
      error = row.lse_scale() + std::abs(logit);
      if (smoothing != 0) {
        const auto n = static_cast<double>(words);
        loss = (1 - smoothing) * loss + smoothing * (row.max - row.logits / n + log);
        error += smoothing * (row.lse_scale() + row.magnitudes / n);
      }
    } else if (labels[r] != args.ignore_index) {
      loss = error = std::nan("");
    }
    args.loss.template as<double>()[r] = loss;
    scale.loss.template as<double>()[r] = error;
    args.lse.template as<double>()[r] = row.lse();
    scale.lse.template as<double>()[r] = row.lse_scale();
    if constexpr (std::is_same_v<Args, Gradient>) {
      const double weight = static_cast<float>(args.grad_scale) / (mean ? counted : 1);
      write_gradient(args, scale, r, weight, 0, [&](std::int64_t c) {
        const double value = std::exp(x[c] - row.shift()) / row.sum;
        return std::pair(value, value == 0 ? 0 : value * (1 + std::abs(x[c] - row.shift())));
      });
    }
  });
  double total = 0, error = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    total += args.loss.template as<double>()[r];
    error += std::abs(args.loss.template as<double>()[r]) + scale.loss.template as<double>()[r];
  }
  args.total.template as<double>()[0] = mean ? total / counted : total;
  scale.total.template as<double>()[0] = mean ? error / counted : error;
}

void backward_reference(const Backward& args, const Backward& scale) {
  const std::int64_t words = args.logits.shape[1];
  const double divisor = args.reduction == Reduction::mean ? count_labels(args) : 1;
  const double of_total = args.dtotal.data ? args.dtotal.as<double>()[0] / divisor : 0;
  parallel_for(args.logits.shape[0], 1, [&](std::int64_t r) {
    const double* x = args.logits.as<double>() + r * words;
    const double lse = args.lse.as<double>()[r];
    const double of_row = args.dloss.data ? args.dloss.as<double>()[r] : 0;
    const double of_lse = args.dlse.data ? args.dlse.as<double>()[r] : 0;
    write_gradient(args, scale, r, of_total + of_row, of_lse, [&](std::int64_t c) {
      const double value = std::exp(x[c] - lse);
      return std::pair(value, value == 0 ? 0 : value * (1 + std::abs(x[c] - lse)));
    });
  });
}

// Random labels become words; one in five is ignored. Where there are 97 rows or more (and the case
// is not one to be timed) some are neither.
template <class Args>
void make_labels(const Args& args) {
  const std::int64_t words = std::max<std::int64_t>(args.logits.shape[1], 1);
  auto* labels = args.labels.template as<std::int64_t>();
  for (std::int64_t r = 0; r < args.labels.size(); ++r) {
    const bool ignored = r > 0 && labels[r] / words % 5 == 0;
    labels[r] = ignored ? args.ignore_index : labels[r] % words;
    if (r % 97 == 96 && args.labels.size() < 4096) labels[r] = r % 2 ? words : -1;
  }
}

// lse must be that of the logits.
void make_backward(const Backward& args) {
  make_labels(args);
  const std::int64_t words = args.logits.shape[1];
  parallel_for(args.logits.shape[0], 1, [&](std::int64_t r) {
    args.lse.as<double>()[r] = Row(args.logits.as<double>() + r * words, words).lse();
  });
}

// A tree of additions errs by a few roundings, a chain of n by about sqrt(n) of them: one thread
// may add up a whole row, or the losses of all rows.
template <class Args>
Tolerance tolerance(const Args& args) {
  const auto chain = static_cast<double>(std::max(args.logits.shape[0], args.logits.shape[1]));
  return {.out_ulps = 1, .f32_ulps = 8 + std::sqrt(chain)};
}
template <>
Tolerance tolerance(const Backward&) {
  return {.out_ulps = 1, .f32_ulps = 8};
}

double bytes(const Tensor& t) {
  return t.rank == 0 ? 0 : static_cast<double>(t.bytes());  // rank 0: left out
}

// Operations per logit: subtract, scale, exp (counted as one), add up; for the gradient subtract,
// scale, exp, multiply, subtract.
Cost cost(const Forward& args) {
  return {.flops = 4.0 * static_cast<double>(args.logits.size()),
          .bytes = bytes(args.logits) + bytes(args.labels) + bytes(args.loss) + bytes(args.lse)};
}
Cost cost(const Gradient& args) {
  return {.flops = 9.0 * static_cast<double>(args.logits.size()),
          .bytes = bytes(args.logits) + bytes(args.labels) + bytes(args.loss) + bytes(args.lse) +
                   bytes(args.dlogits)};
}
Cost cost(const Backward& args) {
  return {.flops = 5.0 * static_cast<double>(args.logits.size()),
          .bytes = bytes(args.logits) + bytes(args.labels) + bytes(args.lse) + bytes(args.dloss) +
                   bytes(args.dlse) + bytes(args.dlogits)};
}

Case sized(const char* name, std::int64_t rows, std::int64_t words, Case c = {}) {
  c.name = name;
  c.dims = {{"rows", rows}, {"words", words}};
  return c;
}

// GPT-2's vocabulary, the same padded to a multiple of 64, that of Qwen, and ImageNet's classes.
void add_timed(std::vector<Case>& all, std::vector<std::string> without = {}) {
  const Case timed{.without = std::move(without), .dtypes = {DType::bf16}, .bench = true};
  all.push_back(sized("50257 words", 8192, 50257, timed));
  all.push_back(sized("50304 words", 8192, 50304, timed));
  all.push_back(sized("151936 words", 8192, 151936, timed));
  all.push_back(sized("1000 classes", 131072, 1000, timed));
}

// The kernels are those of the gradient, which has more cases.
std::vector<Case> forward_cases() {
  std::vector<Case> all = {
      sized("empty", 0, 8),
      sized("one", 1, 1),
      sized("prime", 17, 257, {.scalars = {{"label_smoothing", 0.1}}}),
      sized("1k+1", 7, 1025,
            {.scalars = {{"reduction", "sum"}, {"label_smoothing", 0.4}}, .offset = 1}),
      sized("50257", 1, 50257),
      sized("special", 200, 60, {.fill = Fill::special, .scalars = {{"reduction", "none"}}}),
  };
  add_timed(all);
  return all;
}

std::vector<Case> gradient_cases() {
  std::vector<Case> all = {
      sized("empty", 0, 8),
      sized("one", 1, 1),
      sized("all ignored", 5, 1, {.scalars = {{"ignore_index", 0}}}),
      sized("warp+1", 6, 33, {.scalars = {{"label_smoothing", 0.4}}}),
      sized("prime", 17, 257, {.scalars = {{"label_smoothing", 0.1}}}),
      sized("1k+1", 7, 1025, {.scalars = {{"reduction", "sum"}}, .in_place = {"dlogits"}}),
      sized("4k+3", 3, 4099, {.scalars = {{"label_smoothing", 0.3}, {"reduction", "sum"}}}),
      sized("16k+1", 2, 16385, {.scalars = {{"grad_scale", -3}}, .in_place = {"dlogits"}}),
      sized("50257", 2, 50257),
      sized("longer than a block", 1, 90001,
            {.scalars = {{"label_smoothing", 0.2}}, .in_place = {"dlogits"}}),
      sized("many rows", 300, 40,
            {.scalars = {{"reduction", "none"}, {"ignore_index", 3}},
             .in_place = {"dlogits"},
             .types = {{"labels", DType::i32}}}),
      sized("a ring of rows", 1730, 19, {.dtypes = {DType::bf16}}),
      sized("misaligned", 5, 1000, {.offset = 1}),
      sized("half-aligned", 4, 2050, {.offset = 2}),
      sized("cut differently", 3, 515, {.offsets = {{"dlogits", 1}}}),
      sized("low", 7, 300, {.fill = Fill::low}),
      sized("extreme", 9, 1000, {.fill = Fill::extreme, .scalars = {{"reduction", "sum"}}}),
      sized("special", 200, 60, {.fill = Fill::special}),
  };
  add_timed(all);
  return all;
}

std::vector<Case> backward_cases() {
  const std::vector<std::string> total_only = {"dloss", "dlse"};
  std::vector<Case> all = {
      sized("empty", 0, 8),
      sized("one", 1, 1),
      sized("all ignored", 5, 1, {.scalars = {{"ignore_index", 0}}, .without = total_only}),
      sized("prime", 17, 257, {.scalars = {{"label_smoothing", 0.1}}}),
      sized("total alone", 7, 1025, {.without = total_only}),
      sized("loss alone", 7, 1000,
            {.scalars = {{"reduction", "none"}}, .without = {"dtotal", "dlse"}}),
      sized("lse alone", 7, 100, {.without = {"dtotal", "dloss"}}),
      sized("odd", 2, 20001,
            {.scalars = {{"label_smoothing", 0.3}, {"reduction", "sum"}}, .in_place = {"dlogits"}}),
      sized("cut differently", 3, 515, {.offsets = {{"dlogits", 1}}}),
      sized("many rows", 300, 40,
            {.scalars = {{"ignore_index", 3}}, .types = {{"labels", DType::i32}}}),
      sized("misaligned", 5, 1000, {.offset = 1}),
      sized("half-aligned", 4, 2050, {.offset = 2}),
      sized("special", 100, 60, {.fill = Fill::special, .without = total_only}),
  };
  add_timed(all, total_only);
  return all;
}

}  // namespace

WARPATH_OP(Forward, .reference = forward_reference<Forward>, .cases = forward_cases, .cost = cost,
           .tolerance = tolerance<Forward>, .prepare = make_labels<Forward>,
           .check = check_smoothing<Forward>);
WARPATH_OP(Gradient, .reference = forward_reference<Gradient>, .cases = gradient_cases,
           .cost = cost, .tolerance = tolerance<Gradient>, .prepare = make_labels<Gradient>,
           .check = check_smoothing<Gradient>);
WARPATH_OP(Backward, .reference = backward_reference, .cases = backward_cases, .cost = cost,
           .tolerance = tolerance<Backward>, .prepare = make_backward,
           .check = check_smoothing<Backward>);

}  // namespace warpath::cross_entropy
