// What the references and cases of the norms share. Host only.
#pragma once
#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

#include "core/host/case.h"
#include "core/host/parallel.h"

namespace warpath::norm {

// Roundings that one sum of `n` floats may cost: a tree a few, a chain about sqrt(n).
inline double roundings(std::int64_t n) {
  return 8 + std::sqrt(static_cast<double>(n));
}
inline constexpr double unit = 0x1p-23;

// A tensor that is left out has no axes.
inline double bytes(std::initializer_list<Tensor> tensors) {
  double sum = 0;
  for (const Tensor& t : tensors)
    if (t.rank > 0) sum += static_cast<double>(t.bytes());
  return sum;
}

// Sums over all rows, one per column: of dy * normal(row, column) into dweight, of dy into dbias, where each is wanted.
template <class Normal>
void parameter_sums(const Tensor& dy, Normal normal, const Tensor& dweight,
                    const Tensor& dweight_scale, const Tensor& dbias = {},
                    const Tensor& dbias_scale = {}) {
  const std::int64_t rows = dy.shape[0], cols = dy.shape[1];
  parallel_for(cols, 16, [&](std::int64_t c) {
    double weight = 0, bias = 0, weight_size = 0, bias_size = 0;
    for (std::int64_t r = 0; r < rows; ++r) {
      const double d = dy.as<double>()[r * cols + c], n = normal(r, c);
      weight += d * n;
      bias += d;
      weight_size += d * n * d * n;
      bias_size += d * d;
    }
    if (dweight.data) {
      dweight.as<double>()[c] = weight;
      dweight_scale.as<double>()[c] = std::abs(weight) + std::sqrt(weight_size);
    }
    if (dbias.data) {
      dbias.as<double>()[c] = bias;
      dbias_scale.as<double>()[c] = std::abs(bias) + std::sqrt(bias_size);
    }
  });
}

struct Moments {
  double mean, rstd;
};
inline Moments moments(const double* x, std::int64_t cols, double eps) {
  double mean = 0, variance = 0;
  for (std::int64_t c = 0; c < cols; ++c) mean += x[c];
  mean /= static_cast<double>(cols);
  for (std::int64_t c = 0; c < cols; ++c) variance += (x[c] - mean) * (x[c] - mean);
  return {mean, 1 / std::sqrt(variance / static_cast<double>(cols) + eps)};
}

// What the errors of a row's moments are relative to. An error of the mean, `roundings` units of the row's `size`, moves every
// x - mean by that much: the scale of a result has size * rstd. It makes the variance larger by its square, and so rstd
// smaller by half of that: `slope`. A chain of additions may also lose every square below half a unit of the sum.
struct MomentsError {
  double size, slope;
};
inline MomentsError moments_error(const double* x, std::int64_t cols, Moments m) {
  double size = 0, lost = 0;
  for (std::int64_t c = 0; c < cols; ++c) {
    const double d = (x[c] - m.mean) * m.rstd, square = d * d / static_cast<double>(cols);
    size += x[c] * x[c] / static_cast<double>(cols);
    if (square < unit / 2) lost += square;
  }
  size = std::sqrt(size);
  const double error = roundings(cols) * unit;
  return {size, 1 + (error * size * m.rstd * size * m.rstd + lost / error) / 2};
}

// The moments of row r into the results that are wanted, Args being a norm's forward call.
template <class Args>
void put_moments(const Args& args, const Args& scale, std::int64_t r, Moments m, MomentsError e) {
  if (args.mean.data) {
    args.mean.template as<double>()[r] = m.mean;
    scale.mean.template as<double>()[r] = e.size;
  }
  if (args.rstd.data) {
    args.rstd.template as<double>()[r] = m.rstd;
    scale.rstd.template as<double>()[r] = m.rstd * e.slope;
  }
}

// mean and rstd of a backward call must belong to x; random numbers do not.
template <class Args>
void make_moments(const Args& args, std::int64_t cols, double eps) {
  for (std::int64_t r = 0; r < args.mean.size(); ++r) {
    const auto [mean, rstd] = moments(args.x.template as<double>() + r * cols, cols, eps);
    args.mean.template as<double>()[r] = mean;
    args.rstd.template as<double>()[r] = rstd;
  }
}

// dx of row r: slope(r, c) is dy times the weight, slope_size what its error is relative to, normal the normalised x.
template <class Slope, class Size, class Normal>
void gradient_of_row(std::int64_t r, std::int64_t cols, double rstd, Slope slope, Size slope_size,
                     Normal normal, const Tensor& dx, const Tensor& dx_scale) {
  const double each = 1 / static_cast<double>(cols);
  double sum = 0, dot = 0, sum_size = 0, dot_size = 0;
  for (std::int64_t c = 0; c < cols; ++c) {
    const double g = slope(r, c), n = normal(r, c), size = slope_size(r, c);
    sum += g;
    dot += g * n;
    sum_size += size * size;
    dot_size += size * n * size * n;
  }
  sum_size = std::abs(sum) * each + std::sqrt(sum_size * each);
  dot_size = std::abs(dot) * each + std::sqrt(dot_size * each);
  for (std::int64_t c = 0; c < cols; ++c) {
    const double n = normal(r, c);
    dx.as<double>()[r * cols + c] = rstd * (slope(r, c) - each * (sum + n * dot));
    dx_scale.as<double>()[r * cols + c] =
        std::abs(rstd) * (slope_size(r, c) + sum_size + std::abs(n) * dot_size);
  }
}

// eps of 0.25 marks the case whose rows lie far from zero: mean 10^4, deviation 1.
template <class Args>
void move_away(const Args& args) {
  if (args.eps != 0.25) return;
  for (std::int64_t i = 0; i < args.x.size(); ++i) args.x.template as<double>()[i] += 1e4;
}

inline Case sized(const char* name, std::int64_t rows, std::int64_t cols, Case c = {}) {
  c.name = name;
  c.dims = {{"rows", rows}, {"cols", cols}};
  return c;
}

// Rows that bite: from none to more than a block's registers hold, at every alignment.
inline std::vector<Case> sizes() {
  return {
      sized("empty", 0, 8),
      sized("one", 1, 1),
      sized("warp+1", 70, 33),
      sized("prime", 11, 257),
      sized("768", 9, 768),
      sized("4k", 3, 4096),
      sized("16k+8", 2, 16392),
      sized("odd and long", 2, 9001),
      sized("misaligned", 3, 2048, {.offset = 1}),
      sized("half-aligned", 3, 2050, {.offset = 2}),
      sized("wide", 5, 999, {.fill = Fill::wide}),
  };
}

// More rows than three times the threads that a GPU holds have at once: kernels that walk over rows come round.
inline Case many_rows(const char* name, std::int64_t rows) {
  return sized(name, rows, 9, {.dtypes = {DType::bf16}});
}

// Timed in f32 and bf16: 768, 4096, 3073 columns, and the longest rows that count.
inline void add_timed(std::vector<Case>& all, std::int64_t longest) {
  const Case bench = {.dtypes = {DType::f32, DType::bf16}, .bench = true};
  all.push_back(sized("768 columns", 131072, 768, bench));
  all.push_back(sized("4k columns", 32768, 4096, bench));
  all.push_back(longest > 16384 ? sized("32k columns", 4096, longest, bench)
                                : sized("16k columns", 8192, longest, bench));
  all.push_back(sized("3073 columns", 32768, 3073, bench));
}

}  // namespace warpath::norm
