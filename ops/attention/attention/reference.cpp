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
// Timed cases are judged in part (core/host/sample.h): blocks of 128 queries for o, lse and dq, blocks of 128 keys for dk and
// dv, of every head the first, the last and some that a hash takes. A judged block is computed as it always is.
//
// Both kinds of sums run over all keys, as expensive as the product itself. They are bounded from above instead: of 16 neighbouring
// keys, the largest |v_j| stands for each. That takes a sixteenth of the time and is less than twice too much.
#include <cmath>

#include "core/host/parallel.h"
#include "core/host/product.h"
#include "core/host/sample.h"
#include "ops/attention/attention/reference_head.h"

namespace warpath::attention {
namespace {

constexpr std::int64_t together = 16;

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

// Keys from one on to before another.
struct Stretch {
  std::int64_t first, last;
};

// The logits of `rows` queries from `first` on, for the keys of a stretch that any of them sees; -inf where a query does not
// see one.
template <class Args>
struct Logits {
  std::int64_t first, rows;
  Stretch keys;
  Matrix s;
  Matrix sizes;  // how large the sums are whose rounding errors a logit has

  Logits(const Head<Args>& h, std::int64_t first, Stretch within)
      : first(first), rows(std::min(block, h.at.queries - first)) {
    const Visible visible = visible_of(h.args, h.at);
    const Keys seen = visible.of_rows(static_cast<int>(first), static_cast<int>(first + rows));
    keys.first = std::clamp<std::int64_t>(seen.first, within.first, within.last);
    keys.last = std::clamp<std::int64_t>(seen.last, keys.first, within.last);
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

// o and lse of some rows.
void forward_rows(const Head<Forward>& h, std::int64_t first, const Forward& scales) {
  const Tensor &o = h.args.o, &lse = h.args.lse;
  Logits<Forward> p(h, first, {0, h.at.keys});
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
    scales.lse.as<double>()[h.lse_row(first + i)] = roundings(n) + 4 * p.size(i);
  }
  const MatrixView weights{p.s.data(), n, 1};
  const MatrixView v{h.of_key(h.args.v, p.keys.first), h.pitch(h.args.v), 1};
  double* const to = h.of_query(o, first);
  add_product(weights, v, to, h.pitch(o), p.rows, c, n);
  Matrix sums = zeros(p.rows * c), squares = zeros(p.rows * c);
  add_bound(weights, v, sums.data(), p.rows, c, n, 1);
  add_bound(weights, v, squares.data(), p.rows, c, n, 2);
  const double round = rounding(scales.o.dtype) * 0x1p23;
  double* const scale = h.of_query(scales.o, first);
  for (std::int64_t i = 0; i < p.rows; ++i)
    for (std::int64_t e = 0; e < c; ++e) {
      const auto x = static_cast<std::size_t>(i * c + e);
      scale[i * h.pitch(o) + e] =
          (roundings(n) + 4 * p.size(i)) * sums[x] + round * std::sqrt(squares[x]);
    }
}

// How many pairs of a query and a key are judged in a timed case, about: as many as take some seconds.
constexpr double forward_pairs = 5e8, backward_pairs = 1e8;

// A block of queries, or of keys, of one head.
template <class Args>
struct Part {
  Head<Args> head;
  std::int64_t first, rows;
  bool last;     // of its head
  double pairs;  // at most
};

template <class Args>
std::vector<Part<Args>> query_parts(const Args& args) {
  std::vector<Part<Args>> all;
  for (const Sequence& s : sequences(args))
    for (std::int64_t h = 0; h < args.q.shape[2]; ++h)
      for (std::int64_t i = 0; i < s.queries; i += block) {
        const std::int64_t rows = std::min(block, s.queries - i);
        const Keys keys =
            visible_of(args, s).of_rows(static_cast<int>(i), static_cast<int>(i + rows));
        all.push_back({{args, s, h},
                       i,
                       rows,
                       i + rows == s.queries,
                       static_cast<double>(rows) * (keys.last - keys.first)});
      }
  return all;
}

// Which parts are judged: the first and the last of every head, and others for about `pairs` in all.
template <class Args>
std::vector<bool> choose(const std::vector<Part<Args>>& parts, double pairs, std::uint64_t key,
                         std::uint64_t which = 0) {
  double all = 0;
  for (const Part<Args>& p : parts) all += p.pairs;
  const Sample sample{key, all > pairs ? pairs / all : 1};
  std::vector<bool> chosen;
  for (std::size_t i = 0; i < parts.size(); ++i)
    chosen.push_back(parts[i].first == 0 || parts[i].last || sample.takes(i, which));
  return chosen;
}

// A query that sees no key has its known result, and is always judged.
template <class Args>
void leave_out_rows(const Part<Args>& p, const Tensor& scale) {
  const Visible visible = visible_of(p.head.args, p.head.at);
  for (std::int64_t i = p.first; i < p.first + p.rows; ++i)
    if (const Keys seen = visible.of(static_cast<int>(i)); seen.first < seen.last) {
      double* const row = p.head.of_query(scale, i);
      std::fill(row, row + scale.shape[3], not_judged);
    }
}

void forward(const Forward& args, const Forward& scale, double pairs, std::uint64_t key) {
  set(args.o, 0);
  set(args.lse, -infinity);
  set(scale.o, 0);
  set(scale.lse, 0);
  const std::vector<Part<Forward>> parts = query_parts(args);
  const std::vector<bool> chosen = choose(parts, pairs, key);
  parallel_for(static_cast<std::int64_t>(parts.size()), 1, [&](std::int64_t t) {
    const Part<Forward>& p = parts[static_cast<std::size_t>(t)];
    if (chosen[static_cast<std::size_t>(t)]) return forward_rows(p.head, p.first, scale);
    leave_out_rows(p, scale.o);
    const Visible visible = visible_of(args, p.head.at);
    for (std::int64_t i = p.first; i < p.first + p.rows; ++i)
      if (const Keys seen = visible.of(static_cast<int>(i)); seen.first < seen.last)
        scale.lse.as<double>()[p.head.lse_row(i)] = not_judged;
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

// What `block` queries of a head add to dk and dv of a stretch of keys, of which those two have the rows (null: not
// wanted); and, over all keys, their dq. In units of 2^-23, ds is off by what its p is, by the two sums that it is the
// difference of, and by 1 - tanh^2 of the soft cap.
void backward_rows(const Head<Backward>& h, std::int64_t first, Stretch within, Sum* dk, Sum* dv,
                   bool with_dq, const Backward& scale) {
  const Backward& args = h.args;
  Logits<Backward> p(h, first, within);
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
  if (dk) {
    const std::int64_t at = p.keys.first - within.first;
    dv->add(at, {dropped.data(), 1, n}, {p_errors.data(), 1, n}, {d_o, o_pitch, 1}, n, m);
    dk->add(at, down, {errors.data(), 1, n}, q, n, m);
  }
  if (!with_dq) return;
  Sum dq(m, d, scale.dq.dtype);
  dq.add(0, along, {errors.data(), n, 1}, k, m, n);
  dq.put(h.of_query(args.dq, first), h.of_query(scale.dq, first), h.pitch(args.dq), m, h.scale(),
         rounding(scale.dq.dtype));
}

// dk and dv of a stretch of keys, of all queries that see it.
void backward_keys(const Head<Backward>& h, Stretch keys, bool with_dq, const Backward& scale) {
  const Backward& args = h.args;
  const std::int64_t rows = keys.last - keys.first, group = h.heads() / h.kv_heads();
  Sum dk(rows, h.dim(), scale.dk.dtype), dv(rows, h.value_dim(), scale.dv.dtype);
  for (std::int64_t head = h.head; head < h.head + group; ++head)
    for (std::int64_t i = 0; i < h.at.queries; i += block)
      backward_rows({args, h.at, head}, i, keys, &dk, &dv, with_dq, scale);
  const double round = rounding(scale.dk.dtype);
  dk.put(h.of_key(args.dk, keys.first), h.of_key(scale.dk, keys.first), h.pitch(args.dk), rows,
         h.scale(), round);
  dv.put(h.of_key(args.dv, keys.first), h.of_key(scale.dv, keys.first), h.pitch(args.dv), rows, 1,
         round);
}

// Blocks of keys by the first head that reads them.
std::vector<Part<Backward>> key_parts(const Backward& args, std::int64_t rows) {
  const std::int64_t kv_heads = args.k.shape[2];
  const std::int64_t group = kv_heads ? args.q.shape[2] / kv_heads : 0;
  std::vector<Part<Backward>> all;
  for (const Sequence& s : sequences(args))
    for (std::int64_t h = 0; h < kv_heads; ++h)
      for (std::int64_t j = 0; j < s.keys; j += rows) {
        const std::int64_t n = std::min(rows, s.keys - j);
        const auto pairs = static_cast<double>(n * s.queries * group);
        all.push_back({{args, s, h * group}, j, n, j + n == s.keys, pairs});
      }
  return all;
}

void zero_gradients(const Backward& args, const Backward& scale) {
  for (const Tensor* t : {&args.dq, &args.dk, &args.dv, &scale.dq, &scale.dk, &scale.dv})
    set(*t, 0);
}

}  // namespace

void forward_reference(const Forward& args, const Forward& scale) {
  forward(args, scale, infinity, 0);
}

void forward_sampled(const Forward& args, const Forward& scale, std::uint64_t key) {
  forward(args, scale, forward_pairs, key);
}

void backward_reference(const Backward& args, const Backward& scale) {
  zero_gradients(args, scale);
  const std::vector<Part<Backward>> parts =
      key_parts(args, std::max<std::int64_t>(args.k.shape[1], 1));
  parallel_for(static_cast<std::int64_t>(parts.size()), 1, [&](std::int64_t t) {
    const Part<Backward>& p = parts[static_cast<std::size_t>(t)];
    backward_keys(p.head, {0, p.rows}, true, scale);
  });
}

void backward_sampled(const Backward& args, const Backward& scale, std::uint64_t key) {
  zero_gradients(args, scale);
  const std::vector<Part<Backward>> queries = query_parts(args), keys = key_parts(args, block);
  const std::vector<bool> of_queries = choose(queries, backward_pairs / 2, key),
                          of_keys = choose(keys, backward_pairs / 2, key, 1);
  const auto n = static_cast<std::int64_t>(queries.size());
  parallel_for(n + static_cast<std::int64_t>(keys.size()), 1, [&](std::int64_t t) {
    const auto at = static_cast<std::size_t>(t < n ? t : t - n);
    const Part<Backward>& p = t < n ? queries[at] : keys[at];
    if (t < n && of_queries[at])
      return backward_rows(p.head, p.first, {0, p.head.at.keys}, nullptr, nullptr, true, scale);
    if (t < n) return leave_out_rows(p, scale.dq);
    if (of_keys[at]) return backward_keys(p.head, {p.first, p.first + p.rows}, false, scale);
    for (const Tensor& d : {scale.dk, scale.dv})
      for (std::int64_t j = p.first; j < p.first + p.rows; ++j) {
        double* const row = p.head.of_key(d, j);
        std::fill(row, row + d.shape[3], not_judged);
      }
  });
}

}  // namespace warpath::attention
