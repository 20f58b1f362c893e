// Inputs that are valid: offsets in order, and for the backward pass o and lse as a forward pass leaves them.
//
// That forward pass is computed in float. The backward pass takes o and lse as they are, and its reference gets the same rounded
// numbers as a kernel does, so they need to be right only as far as a kernel's own would be. In float64 the longest
// timed case would take minutes.
#include "core/host/parallel.h"
#include "ops/attention/attention/reference_head.h"

namespace warpath::attention {
namespace {

constexpr std::int64_t queries_at_once = 512, keys_at_once = 512;

// Eight at a time, on any machine: the compiler makes of it what vectors there are.
constexpr int lanes = 8;
typedef double Doubles __attribute__((vector_size(8 * lanes)));
typedef float Floats __attribute__((vector_size(4 * lanes)));
typedef std::int32_t Words __attribute__((vector_size(4 * lanes)));

// x *= by; returns the largest.
double scale_row(double* x, std::int64_t n, double by) {
  Doubles most = Doubles{} - infinity, v;
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    __builtin_memcpy(&v, x + i, sizeof v);
    v *= by;
    most = v > most ? v : most;
    __builtin_memcpy(x + i, &v, sizeof v);
  }
  double largest = -infinity;
  for (; i < n; ++i) largest = std::max(largest, x[i] *= by);
  for (int e = 0; e < lanes; ++e) largest = std::max<double>(largest, most[e]);
  return largest;
}

// x = exp(x - most), most being the largest, to about 1e-7 of itself: 2^n * e^r with |r| <= log(2) / 2. Returns the sum.
double exp_row(double* x, std::int64_t n, double most) {
  Floats sum{};
  double all = 0;
  for (std::int64_t i = 0; i < n; i += lanes) {
    const auto left = std::min<std::int64_t>(lanes, n - i);
    Doubles wide = Doubles{} - infinity;
    __builtin_memcpy(&wide, x + i, static_cast<std::size_t>(left) * 8);
    Floats v = __builtin_convertvector(wide - most, Floats);
    const Floats least = Floats{} - 87;
    v = v > least ? v : least;
    const Words power = __builtin_convertvector(v * 1.442695041f - 0.5f, Words);
    const Floats whole = __builtin_convertvector(power, Floats);
    const Floats r = (v - whole * 0.693145752f) - whole * 1.42860677e-6f;
    Floats e = r * (1.0f / 720) + 1.0f / 120;
    e = e * r + 1.0f / 24;
    e = e * r + 1.0f / 6;
    e = e * r + 0.5f;
    e = e * r + 1;
    e = e * r + 1;
    const Words bits = (power + 127) << 23;
    Floats factor;
    __builtin_memcpy(&factor, &bits, sizeof factor);
    e *= factor;
    wide = __builtin_convertvector(e, Doubles);
    __builtin_memcpy(x + i, &wide, static_cast<std::size_t>(left) * 8);
    if (left == lanes)
      sum += e;
    else
      for (int k = 0; k < left; ++k) all += wide[k];
  }
  for (int e = 0; e < lanes; ++e) all += sum[e];
  return all;
}

// o and lse of some queries of a head, online over stretches of keys.
void put_rows(const Head<Backward>& h, std::int64_t first) {
  const Backward& args = h.args;
  const std::int64_t rows = std::min(queries_at_once, h.at.queries - first), c = h.value_dim();
  const Visible visible = visible_of(args, h.at);
  const Keys keys = visible.of_rows(static_cast<int>(first), static_cast<int>(first + rows));
  const double scale = h.scale(), cap = h.softcap();
  Matrix sum = zeros(rows), max(static_cast<std::size_t>(rows), -infinity), o = zeros(rows * c);
  thread_local Matrix s;  // fresh memory costs a page fault every 4 KiB
  for (std::int64_t j0 = keys.first; j0 < keys.last; j0 += keys_at_once) {
    const std::int64_t n = std::min<std::int64_t>(keys_at_once, keys.last - j0);
    s.assign(static_cast<std::size_t>(rows * n), 0.0);
    add_product_in_float({h.of_query(args.q, first), h.pitch(args.q), 1},
                         {h.of_key(args.k, j0), 1, h.pitch(args.k)}, s.data(), n, rows, n, h.dim());
    for (std::int64_t i = 0; i < rows; ++i) {
      double* const x = s.data() + i * n;
      const Keys seen = visible.of(static_cast<int>(first + i));
      const std::int64_t from = std::clamp<std::int64_t>(seen.first - j0, 0, n);
      const std::int64_t to = std::clamp<std::int64_t>(seen.last - j0, from, n);
      std::fill(x, x + from, 0.0);
      std::fill(x + to, x + n, 0.0);
      if (from == to) continue;
      double &m = max[static_cast<std::size_t>(i)], &l = sum[static_cast<std::size_t>(i)];
      double most = scale_row(x + from, to - from, scale);
      if (cap != 0) {
        most = -infinity;
        for (std::int64_t j = from; j < to; ++j)
          most = std::max(most, x[j] = cap * std::tanh(x[j] / cap));
      }
      most = std::max(most, m);
      const double before = std::exp(m - most);
      m = most;
      l *= before;
      for (std::int64_t e = 0; e < c; ++e) o[static_cast<std::size_t>(i * c + e)] *= before;
      l += exp_row(x + from, to - from, most);
      if (args.dropout != 0)
        for (std::int64_t j = from; j < to; ++j) x[j] *= h.mask(first + i, j0 + j);
    }
    add_product_in_float({s.data(), n, 1}, {h.of_key(args.v, j0), h.pitch(args.v), 1}, o.data(), c,
                         rows, c, n);
  }
  double* const to = h.of_query(args.o, first);
  for (std::int64_t i = 0; i < rows; ++i) {
    const double l = sum[static_cast<std::size_t>(i)];
    if (l == 0) continue;
    args.lse.as<double>()[h.lse_row(first + i)] = max[static_cast<std::size_t>(i)] + std::log(l);
    for (std::int64_t e = 0; e < c; ++e)
      to[i * h.pitch(args.o) + e] = o[static_cast<std::size_t>(i * c + e)] / l;
  }
}

void put_forward(const Backward& args) {
  set(args.o, 0);
  set(args.lse, -infinity);
  struct Task {
    Head<Backward> head;
    std::int64_t first;
  };
  std::vector<Task> tasks;
  for (const Sequence& s : sequences(args))
    for (std::int64_t h = 0; h < args.q.shape[2]; ++h)
      for (std::int64_t i = 0; i < s.queries; i += queries_at_once)
        tasks.push_back({{args, s, h}, i});
  parallel_for(static_cast<std::int64_t>(tasks.size()), 1, [&](std::int64_t t) {
    const Task& task = tasks[static_cast<std::size_t>(t)];
    put_rows(task.head, task.first);
  });
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
  put_forward(args);
}

}  // namespace warpath::attention
