#include "ops/softmax/linear_cross_entropy/linear_cross_entropy.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <string>

#include "core/host/error.h"
#include "core/host/parallel.h"
#include "core/host/product.h"
#include "core/host/registry.h"
#include "core/host/sample.h"
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

using Numbers = std::vector<double>;
using Places = std::vector<std::int64_t>;

constexpr std::int64_t rows_at_once = 128, words_at_once = 512;
constexpr std::int64_t words_of_task = 16384;

// Sums over the logits of a row, with all exponentials relative to the largest logit.
struct Softmax {
  double max = -HUGE_VAL, sum = 0,
         squares = 0;  // squares: of each exponential times its logit's error
  double all = 0;      // of the logits themselves

  void rise(double to) {
    if (to <= max) return;
    const double by = std::exp(max - to);
    max = to;
    sum *= by;
    squares *= by * by;
  }
  void add(const Softmax& other) {
    if (other.sum == 0) return;
    rise(other.max);
    const double by = std::exp(other.max - max);
    sum += by * other.sum;
    squares += by * by * other.squares;
    all += other.all;
  }
  double log() const { return std::log(sum) + max; }
  double error() const { return std::sqrt(squares) / sum; }  // of the logarithm
};

// Errors are measured in roundings to the type of hidden. Logits are rounded to it, so a logit x
// is off by up to |x| of them (or, in f32, by what its sum lost: its typical size), dlogits by what
// that makes of the softmax, and by a rounding of their own. Sums of such errors grow as the root of
// the sum of squares.
struct Problem {
  const Args& args;
  std::int64_t rows = args.rows(), words = args.words(), width = args.width();
  const double *hidden = args.hidden.as<double>(), *weight = args.weight.as<double>();
  const std::int64_t* labels = args.labels.as<std::int64_t>();
  double smoothing = static_cast<float>(args.label_smoothing);
  double divisor = 1, step = 0;
  Numbers row_size, word_size;  // lengths of the vectors, the latter over the root of the width
  std::vector<Softmax> softmax;
  Numbers label_logit;

  explicit Problem(const Args& a) : args(a) {
    // Python calls this for float64 tensors, with whatever labels it was given.
    for (std::int64_t r = 0; r < rows; ++r)
      if (!ignored(r) && (labels[r] < 0 || labels[r] >= words))
        throw Error("warpath::linear_cross_entropy: label " + std::to_string(labels[r]) +
                    " is no word of " + std::to_string(words));
    if (args.reduction == Reduction::mean)
      divisor = static_cast<double>(rows - std::count(labels, labels + rows, args.ignore_index));
    step = static_cast<float>(args.grad_scale) / divisor;
    const auto lengths = [&](const double* of, std::int64_t n, double by) {
      Numbers all(static_cast<std::size_t>(n));
      parallel_for(n, 64, [&](std::int64_t i) {
        all[static_cast<std::size_t>(i)] =
            std::sqrt(dot(of + i * width, of + i * width, width)) / by;
      });
      return all;
    };
    row_size = lengths(hidden, rows, 1);
    word_size = lengths(weight, words, root());
    softmax.resize(static_cast<std::size_t>(rows));
    label_logit.resize(static_cast<std::size_t>(rows));
    sum_rows();
  }

  double root() const { return std::sqrt(static_cast<double>(width)); }
  bool ignored(std::int64_t r) const { return labels[r] == args.ignore_index; }
  double off(std::int64_t r, std::int64_t c, double x) const {
    return std::abs(x) +
           row_size[static_cast<std::size_t>(r)] * word_size[static_cast<std::size_t>(c)];
  }

  // All logits once: tasks of 128 rows and a part of the words.
  void sum_rows() {
    const std::int64_t blocks = (rows + rows_at_once - 1) / rows_at_once;
    const std::int64_t parts = (words + words_of_task - 1) / words_of_task;
    std::vector<Softmax> found(static_cast<std::size_t>(parts * rows));
    parallel_for(blocks * parts, 1, [&](std::int64_t task) {
      const std::int64_t part = task % parts, r0 = task / parts * rows_at_once;
      const std::int64_t m = std::min(rows_at_once, rows - r0);
      const std::int64_t end = std::min(words, (part + 1) * words_of_task);
      Numbers x;
      for (std::int64_t c0 = part * words_of_task; c0 < end; c0 += words_at_once) {
        const std::int64_t n = std::min(words_at_once, end - c0);
        x.assign(static_cast<std::size_t>(m * n), 0.0);
        add_product({hidden + r0 * width, width, 1}, {weight + c0 * width, 1, width}, x.data(), n,
                    m, n, width);
        for (std::int64_t i = 0; i < m; ++i) {
          const double* row = x.data() + i * n;
          const std::int64_t r = r0 + i;
          Softmax& s = found[static_cast<std::size_t>(part * rows + r)];
          s.rise(*std::max_element(row, row + n));
          for (std::int64_t c = 0; c < n; ++c) {
            const double e = std::exp(row[c] - s.max), error = e * off(r, c0 + c, row[c]);
            s.sum += e;
            s.squares += error * error;
            s.all += row[c];
          }
          if (labels[r] >= c0 && labels[r] < c0 + n)
            label_logit[static_cast<std::size_t>(r)] = row[labels[r] - c0];
        }
      }
    });
    for (std::int64_t part = 0; part < parts; ++part)
      for (std::int64_t r = 0; r < rows; ++r)
        softmax[static_cast<std::size_t>(r)].add(found[static_cast<std::size_t>(part * rows + r)]);
  }

  struct Slope {
    double value, error;
  };
  Slope slope(std::int64_t r, std::int64_t c, double x) const {
    if (ignored(r)) return {0, 0};
    const Softmax& s = softmax[static_cast<std::size_t>(r)];
    const double p = std::exp(x - s.max) / s.sum;
    const double target =
        smoothing / static_cast<double>(words) + (c == labels[r] ? 1 - smoothing : 0);
    const double value = step * (p - target);
    return {value, std::abs(step) * p * (off(r, c, x) + s.error()) + std::abs(value)};
  }

  void losses(const Args& scale) const {
    double total = 0, error = 0;
    for (std::int64_t r = 0; r < rows; ++r) {
      const auto i = static_cast<std::size_t>(r);
      double loss = 0, loss_error = 0;
      if (!ignored(r)) {
        const double log = softmax[i].log(), logit = label_logit[i];
        loss = (1 - smoothing) * (log - logit) +
               smoothing * (log - softmax[i].all / static_cast<double>(words));
        loss_error = softmax[i].error() + std::abs(log) + off(r, labels[r], logit);
      }
      args.loss.as<double>()[r] = loss;
      scale.loss.as<double>()[r] = loss_error;
      total += loss;
      error += std::abs(loss) + loss_error;
    }
    args.total.as<double>()[0] = total / divisor;
    scale.total.as<double>()[0] = error / divisor;
  }

  // The gradient of some rows of one operand, `mine`, from all rows of the other: dmine = dlogits @ theirs. slope_of(i, j, x)
  // is that of row i of mine and row j of theirs; size_of(j) is the size of an element there.
  template <class SlopeOf, class SizeOf>
  void gradient(const Places& wanted, const double* mine, const double* theirs, std::int64_t others,
                const Tensor& to, const Tensor& scale, SlopeOf slope_of, SizeOf size_of) const {
    const auto all = static_cast<std::int64_t>(wanted.size());
    const std::int64_t groups = (all + rows_at_once - 1) / rows_at_once;
    const std::int64_t parts = (others + words_of_task - 1) / words_of_task;
    Numbers squares(static_cast<std::size_t>(all));
    for (const std::int64_t i : wanted) std::fill_n(to.as<double>() + i * width, width, 0.0);
    std::mutex lock;
    parallel_for(groups * parts, 1, [&](std::int64_t task) {
      const std::int64_t first = task / parts * rows_at_once, part = task % parts;
      const std::int64_t m = std::min(rows_at_once, all - first);
      const std::int64_t end = std::min(others, (part + 1) * words_of_task);
      Numbers a(static_cast<std::size_t>(m * width)), d(a.size()), x;
      Numbers found(static_cast<std::size_t>(m));
      for (std::int64_t i = 0; i < m; ++i)
        std::copy_n(mine + wanted[static_cast<std::size_t>(first + i)] * width, width,
                    a.data() + i * width);
      for (std::int64_t j0 = part * words_of_task; j0 < end; j0 += words_at_once) {
        const std::int64_t n = std::min(words_at_once, end - j0);
        x.assign(static_cast<std::size_t>(m * n), 0.0);
        add_product({a.data(), width, 1}, {theirs + j0 * width, 1, width}, x.data(), n, m, n,
                    width);
        for (std::int64_t i = 0; i < m; ++i)
          for (std::int64_t j = 0; j < n; ++j) {
            double& at = x[static_cast<std::size_t>(i * n + j)];
            const Slope s = slope_of(wanted[static_cast<std::size_t>(first + i)], j0 + j, at);
            at = s.value;
            const double error = s.error * size_of(j0 + j);
            found[static_cast<std::size_t>(i)] += error * error;
          }
        add_product({x.data(), n, 1}, {theirs + j0 * width, width, 1}, d.data(), width, m, width,
                    n);
      }
      const std::lock_guard hold(lock);
      for (std::int64_t i = 0; i < m; ++i) {
        double* row = to.as<double>() + wanted[static_cast<std::size_t>(first + i)] * width;
        for (std::int64_t k = 0; k < width; ++k)
          row[k] += d[static_cast<std::size_t>(i * width + k)];
        squares[static_cast<std::size_t>(first + i)] += found[static_cast<std::size_t>(i)];
      }
    });
    for (std::size_t i = 0; i < wanted.size(); ++i)
      std::fill_n(scale.as<double>() + wanted[i] * width, width, std::sqrt(squares[i]));
  }
};

void gradients(const Args& args, const Args& scale, const Places& rows, const Places& words) {
  const Problem p(args);
  p.losses(scale);
  if (args.has_dhidden())
    p.gradient(
        rows, p.hidden, p.weight, p.words, args.dhidden, scale.dhidden,
        [&](std::int64_t r, std::int64_t c, double x) { return p.slope(r, c, x); },
        [&](std::int64_t c) { return p.word_size[static_cast<std::size_t>(c)]; });
  if (args.has_dweight())
    p.gradient(
        words, p.weight, p.hidden, p.rows, args.dweight, scale.dweight,
        [&](std::int64_t c, std::int64_t r, double x) { return p.slope(r, c, x); },
        [&](std::int64_t r) { return p.row_size[static_cast<std::size_t>(r)] / p.root(); });
}

void reference(const Args& args, const Args& scale) {
  Places rows(static_cast<std::size_t>(args.rows())), words(static_cast<std::size_t>(args.words()));
  std::iota(rows.begin(), rows.end(), 0);
  std::iota(words.begin(), words.end(), 0);
  gradients(args, scale, rows, words);
}

// For timed cases: all losses, and of each gradient the rows that 1.2e12 operations give. Of every 64 rows one at least.
void sampled(const Args& args, const Args& scale, std::uint64_t key) {
  constexpr std::int64_t block = 64;
  const double all = 4.0 * static_cast<double>(args.rows()) * static_cast<double>(args.words()) *
                     static_cast<double>(args.width());
  const Sample sample{key, std::min(1.0, 1.2e12 / all)};
  const auto choose = [&](std::int64_t n, std::uint64_t which, const Tensor& to) {
    Places chosen;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t first = i / block * block, size = std::min(block, n - first);
      const bool picked =
          i == first + sample.number(static_cast<std::uint64_t>(first), which + 2) % size;
      if (picked || i == 0 || i == n - 1 || sample.takes(static_cast<std::uint64_t>(i), which))
        chosen.push_back(i);
      else if (to.data)
        std::fill_n(to.as<double>() + i * args.width(), args.width(), not_judged);
    }
    return chosen;
  };
  const Places rows = choose(args.rows(), 0, scale.dhidden);
  gradients(args, scale, rows, choose(args.words(), 1, scale.dweight));
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

// A product for the logits and one for each gradient; softmax is five operations per logit, its gradient four.
Cost cost(const Args& args) {
  const double logits = static_cast<double>(args.rows()) * static_cast<double>(args.words());
  const double products = 1.0 + args.has_dhidden() + args.has_dweight();
  double bytes = static_cast<double>(args.hidden.bytes() + args.weight.bytes() +
                                     args.labels.bytes() + args.loss.bytes());
  if (args.has_dhidden()) bytes += static_cast<double>(args.dhidden.bytes());
  if (args.has_dweight()) bytes += static_cast<double>(args.dweight.bytes());
  return {
      .flops = logits * (products * 2 * static_cast<double>(args.width()) + (products > 1 ? 9 : 5)),
      .bytes = bytes};
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
      sized("a slice kept", 48, 4300, 16,
            {.scalars = {{"reduction", "sum"}, {"grad_scale", 256}, {"label_smoothing", 0.1}},
             .dtypes = {DType::bf16}}),
      sized("several tiles", 330, 700, 264,
            {.scalars = {{"grad_scale", 256}}, .dtypes = {DType::bf16}}),
      sized("wide", 20, 33, 328, {.scalars = {{"ignore_index", 4}, {"label_smoothing", 0.2}}}),
      sized("misaligned", 20, 40, 16, {.offset = 1}),
      sized("loss alone", 40, 300, 24,
            {.scalars = {{"label_smoothing", 0.1}}, .without = {"dhidden", "dweight"}}),
      sized("loss alone, several slices", 48, 4300, 16,
            {.without = {"dhidden", "dweight"}, .dtypes = {DType::bf16}}),
      sized("without dweight", 20, 300, 24, {.without = {"dweight"}}),
      sized("without dhidden", 300, 40, 24, {.without = {"dhidden"}}),
      sized("GPT-2", 2048, 50257, 768, {.dtypes = {DType::bf16}, .bench = true}),
      sized("128256 words", 1024, 128256, 2048, {.dtypes = {DType::bf16}, .bench = true}),
      sized("8192 tokens", 8192, 128256, 4096, {.dtypes = {DType::bf16}, .bench = true}),
      sized("8192 tokens, loss alone", 8192, 128256, 4096,
            {.without = {"dhidden", "dweight"}, .dtypes = {DType::bf16}, .bench = true}),
  };
}

}  // namespace

WARPATH_OP(Args, .reference = reference, .sampled = sampled, .cases = cases, .cost = cost,
           .tolerance = tolerance, .prepare = prepare, .check = check_smoothing<Args>);

}  // namespace warpath::linear_cross_entropy
