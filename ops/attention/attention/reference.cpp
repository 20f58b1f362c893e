// Attention and its gradient in float64, and how far a kernel may be off.
//
// Errors come from two sources, and `scale` holds their sum in units of 2^-23 (the tolerance is one such unit):
//
// 1. The operands of the second product. Every kernel on tensor cores rounds p, and in the backward pass p and ds, to the
//    16 bits of the inputs: each by at most half a unit in the last place, 2^-8 of it in bf16 and 2^-11 in f16. These
//    errors are independent, so in o[i] = sum_j p_ij v_j they add up as the root of the sum of squares: uniform errors
//    have 0.4 times the largest as their standard deviation, and the worst of 10^8 elements is 6 deviations away. Hence
//    `rounding` = 2.5 times the largest error, times sqrt(sum_j (p_ij v_j)^2). For f32 this part is zero. Below the smallest
//    normal number of a type errors shrink no further, and p and ds of the backward pass can be that small in f16.
// 2. Arithmetic in float. A sum of n terms costs 8 + sqrt(n) / 2 units of the sum of their absolute values. A logit is off by
//    as many units as |q_i| |k_j| scale is large (Cauchy-Schwarz), its p by that much of itself; four times that admits
//    tensor cores, which cut off where a float would round, and the subtraction of the maximum.
//
// Both kinds of sums run over all keys, as expensive as the product itself. They are bounded from above instead: of 16 neighbouring
// keys, the largest |v_j| stands for each. That takes a sixteenth of the time and is less than twice too much.
#include "ops/attention/attention/reference.h"

#include <cmath>
#include <limits>

#include "core/host/parallel.h"
#include "core/host/product.h"
#include "core/thread/philox.cuh"

namespace warpath::attention {
namespace {

constexpr std::int64_t block = 128;  // queries at a time
constexpr std::int64_t together = 16;
constexpr double infinity = std::numeric_limits<double>::infinity();

using Matrix = std::vector<double>;

Matrix zeros(std::int64_t n) {
  return Matrix(static_cast<std::size_t>(n));
}

double rounding(DType dtype) {
  return dtype == DType::f32 ? 0 : 2.5 * std::exp2(-1 - info(dtype).mantissa_bits);
}

double smallest_normal(DType dtype) {
  return dtype == DType::f16 ? 0x1p-14 : 0x1p-126;
}

double roundings(std::int64_t terms) {
  return 8 + std::sqrt(static_cast<double>(terms)) / 2;
}

double norm(const double* x, std::int64_t n) {
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += x[i] * x[i];
  return std::sqrt(sum);
}

// Adds a bound of sum_j |w_ij|^power |b_jc|^power to d, which has rows of c elements; w is m x n, b is n x c. Elements
// of w that are not zero count as `least` at least.
void add_bound(MatrixView w, MatrixView b, double* d, std::int64_t m, std::int64_t c,
               std::int64_t n, int power, double least = 0) {
  const std::int64_t parts = (n + together - 1) / together;
  Matrix sums = zeros(m * parts), most = zeros(parts * c);
  const auto add = [&](std::int64_t i, std::int64_t j) {
    double x = std::abs(w.at[i * w.down + j * w.right]);
    if (x > 0 && x < least) x = least;
    sums[static_cast<std::size_t>(i * parts + j / together)] += power == 2 ? x * x : x;
  };
  if (w.right == 1) {
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) add(i, j);
  } else {
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i) add(i, j);
  }
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t e = 0; e < c; ++e) {
      const double x = std::abs(b.at[j * b.down + e * b.right]);
      double& at = most[static_cast<std::size_t>(j / together * c + e)];
      at = std::max(at, power == 2 ? x * x : x);
    }
  add_product({sums.data(), parts, 1}, {most.data(), c, 1}, d, c, m, c, parts);
}

// One query head of one sequence.
template <class Args>
struct Head {
  const Args& args;
  Sequence at;
  std::int64_t head;

  std::int64_t heads() const { return args.q.shape[2]; }
  std::int64_t kv_heads() const { return args.k.shape[2]; }
  std::int64_t dim() const { return args.q.shape[3]; }
  std::int64_t value_dim() const { return args.v.shape[3]; }
  std::int64_t kv_head() const { return head / (heads() / kv_heads()); }

  // Row i of a tensor like q, j of one like k, and their steps.
  double* of_query(const Tensor& t, std::int64_t i) const {
    return t.as<double>() +
           ((at.batch * t.shape[1] + at.first_query + i) * t.shape[2] + head) * t.shape[3];
  }
  double* of_key(const Tensor& t, std::int64_t j) const {
    return t.as<double>() +
           ((at.batch * t.shape[1] + at.first_key + j) * t.shape[2] + kv_head()) * t.shape[3];
  }
  static std::int64_t pitch(const Tensor& t) { return t.shape[2] * t.shape[3]; }
  std::int64_t lse_row(std::int64_t i) const {
    return (at.batch * heads() + head) * args.q.shape[1] + at.first_query + i;
  }

  // Kernels get these as floats.
  double scale() const {
    const double s = args.scale == 0 ? 1 / std::sqrt(static_cast<double>(dim())) : args.scale;
    return static_cast<float>(s);
  }
  double softcap() const { return static_cast<float>(args.softcap); }
  double kept() const { return static_cast<float>(1 / (1 - args.dropout)); }

  // What keep(i, j) makes of a probability: 0 or 1 / (1 - dropout).
  double mask(std::int64_t i, std::int64_t j) const {
    if (args.dropout == 0) return 1;
    const auto low =
        static_cast<std::uint64_t>(lse_row(i)) << 32 | static_cast<std::uint64_t>(j / 4);
    const PhiloxWords words = philox(philox_counter(low, static_cast<std::uint64_t>(args.offset)),
                                     static_cast<std::uint64_t>(args.seed));
    const double word = words.at[j % 4];
    return word >= std::floor(args.dropout * 0x1p32) ? kept() : 0;
  }
};

// The logits of `rows` queries from `first` on, for the keys that any of them sees; -inf where a query does not see one.
template <class Args>
struct Logits {
  std::int64_t first, rows;
  Keys keys;
  Matrix s;
  Matrix sizes;  // how large the sums are whose rounding errors a logit has

  Logits(const Head<Args>& h, std::int64_t first)
      : first(first), rows(std::min(block, h.at.queries - first)) {
    const Visible visible = visible_of(h.args, h.at);
    keys = visible.of_rows(static_cast<int>(first), static_cast<int>(first + rows));
    s = zeros(rows * count());
    sizes = zeros(rows);
    if (count() == 0) return;
    const double* q = h.of_query(h.args.q, first);
    const double* k = h.of_key(h.args.k, keys.first);
    add_product({q, h.pitch(h.args.q), 1}, {k, 1, h.pitch(h.args.k)}, s.data(), count(), rows,
                count(), h.dim());
    double longest = 0;
    for (std::int64_t j = 0; j < count(); ++j)
      longest = std::max(longest, norm(k + j * h.pitch(h.args.k), h.dim()));
    const double scale = h.scale(), cap = h.softcap();
    for (std::int64_t i = 0; i < rows; ++i) {
      const Keys seen = visible.of(static_cast<int>(first + i));
      for (std::int64_t j = 0; j < count(); ++j) {
        double& x = at(i, j);
        x = cap != 0 ? cap * std::tanh(x * scale / cap) : x * scale;
        if (j + keys.first < seen.first || j + keys.first >= seen.last) x = -infinity;
      }
      sizes[static_cast<std::size_t>(i)] =
          std::abs(scale) * norm(q + i * h.pitch(h.args.q), h.dim()) * longest + std::abs(cap);
    }
  }
  std::int64_t count() const { return keys.last - keys.first; }
  double& at(std::int64_t i, std::int64_t j) {
    return s[static_cast<std::size_t>(i * count() + j)];
  }
  double size(std::int64_t i) const { return sizes[static_cast<std::size_t>(i)]; }
};

// o and lse of some rows; their scales where `wanted`.
template <class Args>
void forward_rows(const Head<Args>& h, std::int64_t first, const Tensor& o, const Tensor& lse,
                  const Tensor* o_scale, const Tensor* lse_scale) {
  Logits<Args> p(h, first);
  const std::int64_t n = p.count(), c = h.value_dim();
  if (n == 0) return;
  for (std::int64_t i = 0; i < p.rows; ++i) {
    double max = -infinity, sum = 0;
    for (std::int64_t j = 0; j < n; ++j) max = std::max(max, p.at(i, j));
    const double from = max == -infinity ? 0 : max;
    for (std::int64_t j = 0; j < n; ++j) sum += p.at(i, j) = std::exp(p.at(i, j) - from);
    const double by = sum > 0 ? 1 / sum : 0;
    for (std::int64_t j = 0; j < n; ++j)
      if (p.at(i, j) > 0) p.at(i, j) *= by * h.mask(first + i, p.keys.first + j);
    lse.as<double>()[h.lse_row(first + i)] = max + std::log(sum);
    if (lse_scale) lse_scale->as<double>()[h.lse_row(first + i)] = roundings(n) + 4 * p.size(i);
  }
  const MatrixView weights{p.s.data(), n, 1};
  const MatrixView v{h.of_key(h.args.v, p.keys.first), h.pitch(h.args.v), 1};
  double* const to = h.of_query(o, first);
  add_product(weights, v, to, h.pitch(o), p.rows, c, n);
  if (!o_scale) return;
  Matrix sums = zeros(p.rows * c), squares = zeros(p.rows * c);
  add_bound(weights, v, sums.data(), p.rows, c, n, 1);
  add_bound(weights, v, squares.data(), p.rows, c, n, 2);
  const double round = rounding(o_scale->dtype) * 0x1p23;
  double* const scale = h.of_query(*o_scale, first);
  for (std::int64_t i = 0; i < p.rows; ++i)
    for (std::int64_t e = 0; e < c; ++e) {
      const auto x = static_cast<std::size_t>(i * c + e);
      scale[i * h.pitch(o) + e] =
          (roundings(n) + 4 * p.size(i)) * sums[x] + round * std::sqrt(squares[x]);
    }
}

void set(const Tensor& t, double value) {
  std::fill(t.as<double>(), t.as<double>() + t.size(), value);
}

template <class Args>
std::vector<Sequence> sequences(const Args& args) {
  return sequences_of(args, args.q_offsets.template as<std::int64_t>(),
                      args.k_offsets.template as<std::int64_t>());
}

template <class Args>
void forward(const Args& args, const Tensor& o, const Tensor& lse, const Tensor* o_scale,
             const Tensor* lse_scale) {
  set(o, 0);
  set(lse, -infinity);
  if (o_scale) set(*o_scale, 0);
  if (lse_scale) set(*lse_scale, 0);
  struct Task {
    Head<Args> head;
    std::int64_t first;
  };
  std::vector<Task> tasks;
  for (const Sequence& s : sequences(args))
    for (std::int64_t h = 0; h < args.q.shape[2]; ++h)
      for (std::int64_t i = 0; i < s.queries; i += block) tasks.push_back({{args, s, h}, i});
  parallel_for(static_cast<std::int64_t>(tasks.size()), 1, [&](std::int64_t t) {
    const Task& task = tasks[static_cast<std::size_t>(t)];
    forward_rows(task.head, task.first, o, lse, o_scale, lse_scale);
  });
}

// One gradient of a head of keys, and the two parts of its scale.
struct Sum {
  std::int64_t cols;
  double least;  // normal number of its type
  Matrix value, sums, squares;

  Sum(std::int64_t rows, std::int64_t cols, DType dtype)
      : cols(cols),
        least(smallest_normal(dtype)),
        value(zeros(rows * cols)),
        sums(zeros(rows * cols)),
        squares(zeros(rows * cols)) {}

  // Adds w b in the rows from `at` on: w is m x n, `errors` what the float errors of its elements are measured by.
  void add(std::int64_t at, MatrixView w, MatrixView errors, MatrixView b, std::int64_t m,
           std::int64_t n) {
    add_product(w, b, value.data() + at * cols, cols, m, cols, n);
    add_bound(errors, b, sums.data() + at * cols, m, cols, n, 1);
    add_bound(w, b, squares.data() + at * cols, m, cols, n, 2, least);
  }
  void put(double* to, double* scale, std::int64_t pitch, std::int64_t rows, double factor,
           double round) const {
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t e = 0; e < cols; ++e) {
        const auto x = static_cast<std::size_t>(i * cols + e);
        to[i * pitch + e] = factor * value[x];
        scale[i * pitch + e] =
            std::abs(factor) * (sums[x] + 0x1p23 * round * std::sqrt(squares[x]));
      }
  }
};

// What `block` queries of a head add to dk and dv, and their dq. In units of 2^-23, ds is off by what its p is, by the
// two sums that it is the difference of, and by 1 - tanh^2 of the soft cap.
void backward_rows(const Head<Backward>& h, std::int64_t first, Sum& dk, Sum& dv,
                   const Backward& scale) {
  const Backward& args = h.args;
  Logits<Backward> p(h, first);
  const std::int64_t n = p.count(), m = p.rows, c = h.value_dim(), d = h.dim();
  if (n == 0) return;
  const double* d_o = h.of_query(args.d_o, first);
  const double* o = h.of_query(args.o, first);
  const double* v = h.of_key(args.v, p.keys.first);
  const std::int64_t o_pitch = h.pitch(args.o), v_pitch = h.pitch(args.v);
  Matrix ds = zeros(m * n), dropped = zeros(m * n), p_errors = zeros(m * n), errors = zeros(m * n);
  add_product({d_o, o_pitch, 1}, {v, 1, v_pitch}, ds.data(), n, m, n, c);
  double longest = 0;
  for (std::int64_t j = 0; j < n; ++j) longest = std::max(longest, norm(v + j * v_pitch, c));
  const double cap = h.softcap();
  const std::int64_t group = h.heads() / h.kv_heads();
  const double of_sum = roundings(std::max(n, h.at.queries * group));
  for (std::int64_t i = 0; i < m; ++i) {
    double delta = 0;
    for (std::int64_t e = 0; e < c; ++e) delta += d_o[i * o_pitch + e] * o[i * o_pitch + e];
    const double lse = args.lse.as<double>()[h.lse_row(first + i)];
    const double of_d_o = norm(d_o + i * o_pitch, c), of_o = norm(o + i * o_pitch, c);
    const double of_p = of_sum + 4 * p.size(i) + std::abs(lse);
    for (std::int64_t j = 0; j < n; ++j) {
      const double s = p.at(i, j);
      if (s == -infinity) continue;
      const auto x = static_cast<std::size_t>(i * n + j);
      const double mask = h.mask(first + i, p.keys.first + j), probability = std::exp(s - lse);
      const double g = probability * (mask * ds[x] - delta);
      const double slope = cap != 0 ? 1 - s / cap * (s / cap) : 1;
      dropped[x] = probability * mask;
      p_errors[x] = of_p * dropped[x];
      errors[x] = of_p * std::abs(g) + probability * of_d_o * (mask * longest + of_o);
      p.at(i, j) = g * slope;
    }
  }
  for (double& x : p.s)
    if (x == -infinity) x = 0;
  const MatrixView along{p.s.data(), n, 1}, down{p.s.data(), 1, n};
  const MatrixView q{h.of_query(args.q, first), h.pitch(args.q), 1};
  const MatrixView k{h.of_key(args.k, p.keys.first), h.pitch(args.k), 1};
  dv.add(p.keys.first, {dropped.data(), 1, n}, {p_errors.data(), 1, n}, {d_o, o_pitch, 1}, n, m);
  dk.add(p.keys.first, down, {errors.data(), 1, n}, q, n, m);
  Sum dq(m, d, scale.dq.dtype);
  dq.add(0, along, {errors.data(), n, 1}, k, m, n);
  dq.put(h.of_query(args.dq, first), h.of_query(scale.dq, first), h.pitch(args.dq), m, h.scale(),
         rounding(scale.dq.dtype));
}

template <class Args>
void put_offsets(const Args& args) {
  for (const auto& [offsets, tokens] :
       {std::pair{args.q_offsets, args.q.shape[1]}, std::pair{args.k_offsets, args.k.shape[1]}}) {
    if (!offsets.data) continue;
    const std::vector<std::int64_t> made = make_offsets(offsets.shape[0] - 1, tokens);
    std::copy(made.begin(), made.end(), offsets.template as<std::int64_t>());
  }
}

// Rows outside of all sequences may hold anything: not a number, which no sequence's results may show.
template <class Args>
void spoil_outside(const Args& args, const std::vector<Tensor>& of_queries) {
  if (!args.q_offsets.data) return;
  const auto spoil = [](const Tensor& t, const Tensor& offsets) {
    const std::int64_t* at = offsets.as<std::int64_t>();
    const std::int64_t pitch = t.shape[2] * t.shape[3], last = at[offsets.shape[0] - 1];
    const double nan = std::numeric_limits<double>::quiet_NaN();
    std::fill(t.as<double>(), t.as<double>() + at[0] * pitch, nan);
    std::fill(t.as<double>() + last * pitch, t.as<double>() + t.shape[1] * pitch, nan);
  };
  for (const Tensor& t : of_queries) spoil(t, args.q_offsets);
  for (const Tensor& t : {args.k, args.v}) spoil(t, args.k_offsets);
}

}  // namespace

std::vector<std::int64_t> make_offsets(std::int64_t sequences, std::int64_t tokens) {
  const bool small = tokens < 64 * sequences;
  std::vector<double> weights;
  double all = 0;
  for (std::int64_t b = 0; b < sequences; ++b) {
    const PhiloxWords words = philox(philox_counter(static_cast<std::uint64_t>(b), 0), 7);
    const double weight = 1 + 79 * std::pow(uniform_float(words.at[0]), 8);
    const bool tiny = small && (b + tokens) % 4 < 2;
    weights.push_back(tiny ? 0 : weight);
    all += weights.back();
  }
  const std::int64_t ones = small ? (sequences + 3) / 4 : 0;
  const std::int64_t before = small ? std::min<std::int64_t>(2, tokens) : 0;
  const std::int64_t after = small ? std::min<std::int64_t>(3, tokens - before) : 0;
  const std::int64_t shared = std::max<std::int64_t>(tokens - before - after - ones, 0);
  std::vector<std::int64_t> offsets = {before};
  double sum = 0;
  std::int64_t extra = 0;
  for (std::int64_t b = 0; b < sequences; ++b) {
    sum += weights[static_cast<std::size_t>(b)];
    if (small && (b + tokens) % 4 == 1) ++extra;
    const double part = all > 0 ? sum / all : 0;
    const auto at = before + static_cast<std::int64_t>(part * static_cast<double>(shared)) + extra;
    offsets.push_back(std::min(at, tokens));
  }
  return offsets;
}

void prepare_forward(const Forward& args) {
  put_offsets(args);
  spoil_outside(args, {args.q});
}

void prepare_backward(const Backward& args) {
  put_offsets(args);
  spoil_outside(args, {args.q, args.d_o});
  forward(args, args.o, args.lse, nullptr, nullptr);
}

void forward_reference(const Forward& args, const Forward& scale) {
  forward(args, args.o, args.lse, &scale.o, &scale.lse);
}

void backward_reference(const Backward& args, const Backward& scale) {
  for (const Tensor* t : {&args.dq, &args.dk, &args.dv, &scale.dq, &scale.dk, &scale.dv})
    set(*t, 0);
  const std::vector<Sequence> all = sequences(args);
  const std::int64_t kv_heads = args.k.shape[2];
  const std::int64_t group = kv_heads ? args.q.shape[2] / kv_heads : 0;
  const std::int64_t tasks = static_cast<std::int64_t>(all.size()) * kv_heads;
  parallel_for(tasks, 1, [&](std::int64_t task) {
    const Sequence& s = all[static_cast<std::size_t>(task / kv_heads)];
    const std::int64_t first = task % kv_heads * group;
    Sum dk(s.keys, args.k.shape[3], scale.dk.dtype), dv(s.keys, args.v.shape[3], scale.dv.dtype);
    for (std::int64_t head = first; head < first + group; ++head)
      for (std::int64_t i = 0; i < s.queries; i += block)
        backward_rows({args, s, head}, i, dk, dv, scale);
    const Head<Backward> h{args, s, first};
    const double round = rounding(scale.dk.dtype);
    dk.put(h.of_key(args.dk, 0), h.of_key(scale.dk, 0), h.pitch(args.dk), s.keys, h.scale(), round);
    dv.put(h.of_key(args.dv, 0), h.of_key(scale.dv, 0), h.pitch(args.dv), s.keys, 1, round);
  });
}

}  // namespace warpath::attention
