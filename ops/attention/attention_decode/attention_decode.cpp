#include "ops/attention/attention_decode/attention_decode.h"

#include <cmath>

#include "core/host/indices.h"
#include "core/host/parallel.h"
#include "core/host/registry.h"
#include "ops/attention/made_cache.h"
#include "ops/attention/visible.h"

namespace warpath::attention_decode {

static std::int64_t capacity_of(const Args& args) {
  return args.k.shape[1] * (args.block_table.rank > 0 ? args.block_table.shape[1] : 1);
}

static double length_of(const double* x, std::int64_t n) {
  double sum = 0;
  for (std::int64_t d = 0; d < n; ++d) sum += x[d] * x[d];
  return std::sqrt(sum);
}

// A score is off by some roundings of |q| |k|, an exponential relatively by what its score is off. So an error in o is measured
// against the sum of p |v| (1 + scale |q| |k| + softcap).
static void reference(const Args& args, const Args& scale) {
  const std::int64_t tokens = args.q.shape[1], heads = args.q.shape[2], dim = args.q.shape[3];
  const std::int64_t kv_heads = args.k.shape[2];
  const double by = args.scale != 0 ? args.scale : 1 / std::sqrt(static_cast<double>(dim));
  const double cap = args.softcap;
  parallel_for(args.q.shape[0] * tokens * heads, 1, [&](std::int64_t row) {
    const std::int64_t b = row / heads / tokens, t = row / heads % tokens, h = row % heads;
    const std::int64_t kv = h / (heads / kv_heads);
    const attention::Visible visible{static_cast<int>(tokens),
                                     static_cast<int>(args.lengths.as<std::int64_t>()[b]), true,
                                     static_cast<int>(args.window)};
    const attention::Keys keys = visible.of(static_cast<int>(t));
    const double* q = args.q.as<double>() + row * dim;
    const auto at = [&](const Tensor& cache, std::int64_t j) {
      return cache.as<double>() +
             (attention::cache_row(cache, args.block_table, b, j) * kv_heads + kv) * dim;
    };
    const double q_length = length_of(q, dim);
    std::vector<double> p, care;
    double most = -INFINITY;
    for (int j = keys.first; j < keys.last; ++j) {
      const double* k = at(args.k, j);
      double s = 0;
      for (std::int64_t d = 0; d < dim; ++d) s += q[d] * k[d];
      s *= by;
      p.push_back(cap != 0 ? cap * std::tanh(s / cap) : s);
      care.push_back(1 + std::abs(by) * q_length * length_of(k, dim) + std::abs(cap));
      most = std::max(most, p.back());
    }
    double sum = 0;
    for (double& x : p) sum += x = std::exp(x - (most == -INFINITY ? 0 : most));
    double* o = args.o.as<double>() + row * dim;
    double* o_scale = scale.o.as<double>() + row * dim;
    std::fill(o, o + dim, 0.0);
    std::fill(o_scale, o_scale + dim, 0.0);
    double care_of_all = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const double* v = at(args.v, keys.first + static_cast<std::int64_t>(i));
      const double share = p[i] / sum;
      for (std::int64_t d = 0; d < dim; ++d) {
        o[d] += share * v[d];
        if (share > 0) o_scale[d] += share * std::abs(v[d]) * care[i];  // 0 * inf is no scale
      }
      if (share > 0) care_of_all += share * care[i];
    }
    if (!args.lse.data) return;
    const std::int64_t to = (b * heads + h) * tokens + t;
    args.lse.as<double>()[to] = most + std::log(sum);
    scale.lse.as<double>()[to] = p.empty() ? 0 : care_of_all + std::abs(most);
  });
}

// Probabilities are rounded to the type of the values before the tensor cores multiply them: half a unit of 11 or 8 bits.
static Tolerance tolerance(const Args& args) {
  constexpr double unit = 0x1p23;
  const double p = args.q.dtype == DType::f16 ? 0x1p-12 : args.q.dtype == DType::bf16 ? 0x1p-9 : 0;
  return {.out_ulps = 1, .f32_ulps = 8 + p * unit};
}

// Of a full cache: the lengths are on the device.
static Cost cost(const Args& args) {
  const double keys = static_cast<double>(args.q.shape[0] * capacity_of(args));
  const auto size = static_cast<double>(size_of(args.q.dtype));
  const double dim = static_cast<double>(args.q.shape[3]);
  return {.flops = 4 * keys * static_cast<double>(args.q.shape[1] * args.q.shape[2]) * dim,
          .bytes = 2 * keys * static_cast<double>(args.k.shape[2]) * dim * size +
                   2 * static_cast<double>(args.q.bytes())};
}

// What lies behind a sequence's last key is NaN.
static void prepare(const Args& args) {
  const std::int64_t capacity = capacity_of(args);
  attention::make_lengths(args.lengths, capacity);
  attention::make_table(args.block_table, args.lengths, args.k);
  const std::int64_t row = args.k.shape[2] * args.k.shape[3], size = args.k.shape[1];
  for (std::int64_t b = 0; b < args.lengths.size(); ++b) {
    const std::int64_t length = args.lengths.as<std::int64_t>()[b];
    const std::int64_t end = args.block_table.data ? (length + size - 1) / size * size : capacity;
    for (std::int64_t j = length; j < end; ++j)
      for (const Tensor* cache : {&args.k, &args.v}) {
        double* at =
            cache->as<double>() + attention::cache_row(*cache, args.block_table, b, j) * row;
        std::fill(at, at + row, std::nan(""));
      }
  }
}

static std::vector<Case> cases() {
  using attention::cache_case;
  const std::vector<DType> half = {DType::f16, DType::bf16};
  std::vector<Case> all = {
      cache_case("empty", {0, 1, 2, 1, 8, 16, 1}),
      cache_case("one key", {1, 1, 1, 1, 64, 1, 0}),
      cache_case("contiguous", {5, 1, 4, 2, 64, 130, 0}),
      cache_case("pages of 16", {5, 1, 8, 2, 128, 16, 9}),
      cache_case("pages of 64", {6, 1, 4, 1, 64, 64, 3}),
      cache_case("pages of 7", {3, 2, 4, 2, 40, 7, 11}),
      cache_case("many keys", {1, 1, 4, 1, 32, 64, 10}),
      cache_case("many keys, 16 bits", {2, 1, 4, 1, 32, 16, 18}, {.dtypes = half}),
      cache_case("16 tokens, 16 bits", {2, 16, 2, 1, 64, 16, 3}, {.dtypes = half}),
      cache_case("lengths differ", {6, 1, 2, 1, 8, 64, 20}),
      cache_case("16 tokens", {2, 16, 4, 1, 64, 32, 3}),
      cache_case("5 tokens, 15 rows", {4, 5, 3, 1, 64, 1, 70}),
      cache_case("17 rows", {3, 1, 17, 1, 64, 65, 0}, {.without = {"lse"}}),
      cache_case("71 rows", {2, 1, 71, 1, 32, 65, 0}),
      cache_case("window", {5, 3, 4, 2, 64, 16, 12}, {.scalars = {{"window", 20}}}),
      cache_case("window of 100", {4, 1, 4, 2, 64, 300, 0}, {.scalars = {{"window", 100}}}),
      cache_case("softcap", {3, 2, 4, 2, 64, 16, 5}, {.scalars = {{"softcap", 2}, {"scale", 0.5}}}),
      cache_case("large scores", {2, 1, 4, 2, 64, 16, 8}, {.scalars = {{"scale", 4}}}),
      cache_case("256", {2, 2, 2, 1, 256, 64, 2}),
      cache_case("96", {2, 1, 6, 2, 96, 16, 5}),
      cache_case("odd dim", {2, 2, 2, 1, 37, 16, 3}),
      cache_case("misaligned", {2, 1, 4, 2, 64, 16, 3}, {.offset = 1}),
      cache_case(
          "padded", {3, 2, 4, 2, 64, 16, 5},
          {.layouts = {{"q", Layout::padded}, {"k", Layout::padded}, {"v", Layout::padded}}}),
      cache_case(
          "spread", {2, 2, 4, 2, 20, 16, 3},
          {.layouts = {{"q", Layout::spread}, {"k", Layout::columns}, {"v", Layout::spread}}}),
      cache_case("special", {4, 1, 4, 2, 64, 16, 3}, {.fill = Fill::special}),
  };
  const auto timed = [&](const char* name, attention::CacheSizes s) {
    all.push_back(cache_case(name, s, {.dtypes = {DType::bf16}, .bench = true}));
  };
  timed("64 of 8k, pages of 64", {64, 1, 32, 8, 128, 64, 128});
  timed("64 of 8k", {64, 1, 32, 8, 128, 8192, 0});
  timed("1 of 128k", {1, 1, 32, 8, 128, 64, 2048});
  timed("16 tokens, 16 of 4k", {16, 16, 32, 8, 128, 64, 64});
  return all;
}

static void check(const Args& args) {
  const std::int64_t seen = args.q.shape[1] + args.window - 1;  // by the first of the new tokens
  check_pages(args.lengths, args.block_table, args.k.shape[0], args.k.shape[1],
              [&](std::int64_t length) { return args.window > 0 ? length - seen : 0; });
}

WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost, .tolerance = tolerance,
           .prepare = prepare, .check = check);

}  // namespace warpath::attention_decode
