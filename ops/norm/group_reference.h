// What the references of group, instance and batch norm share. Host only.
#pragma once
#include <algorithm>
#include <cmath>

#include "ops/norm/activation.h"
#include "ops/norm/group_shape.h"
#include "ops/norm/reference.h"

namespace warpath::norm {

// The tensors of a call in float64, and those of its scale.
struct GroupTensors {
  Tensor x, weight, bias, y, mean, rstd;
};
struct GroupGradients {
  Tensor x, dy, mean, rstd, weight, bias, dx, dweight, dbias;
};

struct GroupMoments {
  double mean = 0, squares = 0, size = 0, rstd = 0, slope = 0;
};

inline double value_or(const Tensor& t, std::int64_t i, double otherwise) {
  return t.data ? t.as<double>()[i] : otherwise;
}

// f(element, channel of all channels) for each element of a group.
template <class F>
void for_each_in_group(const GroupShape& s, std::int64_t group, F f) {
  const std::int64_t start = s.start(group), first = group % s.groups * s.channels;
  for (std::int64_t o = 0; o < s.outer; ++o)
    for (std::int64_t c = 0; c < s.channels; ++c)
      for (std::int64_t i = 0; i < s.inner; ++i)
        f(start + o * s.pitch() + c * s.inner + i, first + c);
}

// size and slope bound what rounding does, as in layer_norm: an error of the mean of `roundings` units of
// `size` moves every x - mean by that much and makes the variance larger by its square; a chain of additions
// may lose every square below half a unit of the sum.
inline GroupMoments group_moments(const GroupShape& s, std::int64_t group, const double* x,
                                  double eps) {
  GroupMoments m;
  const double n = static_cast<double>(s.group_size());
  if (n == 0) return m.rstd = 1 / std::sqrt(eps), m.slope = 1, m;
  for_each_in_group(s, group, [&](std::int64_t i, std::int64_t) { m.mean += x[i]; });
  m.mean /= n;
  for_each_in_group(s, group, [&](std::int64_t i, std::int64_t) {
    m.squares += (x[i] - m.mean) * (x[i] - m.mean);
    m.size += x[i] * x[i] / n;
  });
  m.size = std::sqrt(m.size);
  m.rstd = 1 / std::sqrt(m.squares / n + eps);
  double lost = 0;
  for_each_in_group(s, group, [&](std::int64_t i, std::int64_t) {
    const double square = (x[i] - m.mean) * m.rstd * (x[i] - m.mean) * m.rstd / n;
    if (square < unit / 2) lost += square;
  });
  const double error = roundings(s.group_size()) * unit, far = m.size * m.rstd;
  m.slope = 1 + (error * far * far + lost / error) / 2;
  return m;
}

inline double sigmoid(double z) {
  return 1 / (1 + std::exp(-z));
}
inline double activated(double z, Activation a) {
  return a == Activation::silu ? z * sigmoid(z) : a == Activation::relu && z < 0 ? 0 : z;
}

// one(group, moments) gets what the op keeps beside mean and rstd.
template <class F>
void group_forward(const GroupShape& s, const GroupTensors& t, const GroupTensors& scale,
                   double eps, Activation activation, F one) {
  const double* const x = t.x.as<double>();
  parallel_for(s.all_groups(), 1, [&](std::int64_t group) {
    const GroupMoments m = group_moments(s, group, x, eps);
    for_each_in_group(s, group, [&](std::int64_t i, std::int64_t c) {
      const double w = value_or(t.weight, c, 1), b = value_or(t.bias, c, 0);
      const double n = (x[i] - m.mean) * m.rstd, z = n * w + b, y = activated(z, activation);
      const double error = std::abs(w) * (std::abs(n) * m.slope + m.size * m.rstd) + std::abs(b);
      t.y.as<double>()[i] = y;
      // The slope of SiLU is at most 1.1; its exponential has a relative error of |z| roundings.
      scale.y.as<double>()[i] = activation == Activation::silu
                                    ? 1.1 * error + std::abs(y) * std::min(std::abs(z), 100.0)
                                    : error;
    });
    if (t.mean.data) {
      t.mean.as<double>()[group] = m.mean;
      scale.mean.as<double>()[group] = m.size;
    }
    if (t.rstd.data) {
      t.rstd.as<double>()[group] = m.rstd;
      scale.rstd.as<double>()[group] = m.rstd * m.slope;
    }
    one(group, m);
  });
}

// The gradient of one element before the norm: its value, and what its error is measured against.
struct Slope {
  double value, size;
};
// A ReLU whose argument is zero within its rounding may pass dy or not: `ulps` units measured against size are then all of dy.
inline Slope slope_at(double dy, double z, double z_size, Activation a, double ulps) {
  if (a == Activation::silu) {
    const double s = sigmoid(z), far = std::min(std::abs(z), 17.0);
    return {dy * (s * (1 + z * (1 - s))), std::abs(dy) * (1 + far + z_size)};
  }
  if (a == Activation::none) return {dy, std::abs(dy)};
  const bool doubtful = std::abs(z) <= 8 * unit * z_size;
  return {z <= 0 ? 0 : dy, std::abs(dy) * (doubtful ? 1 / (ulps * unit) : 1)};
}

inline double gradient_ulps(const GroupShape& s) {
  return roundings(std::max(s.group_size(), s.batch * s.outer * s.inner));
}

inline void group_backward(const GroupShape& s, const GroupGradients& t,
                           const GroupGradients& scale, Activation activation) {
  const double *const x = t.x.as<double>(), *const dys = t.dy.as<double>();
  const double each = 1 / static_cast<double>(s.group_size()), ulps = gradient_ulps(s);
  struct At {
    double n, n_size, w;
    Slope dz;
  };
  const auto at = [&](std::int64_t group, std::int64_t i, std::int64_t c) {
    const double mean = t.mean.as<double>()[group], rstd = t.rstd.as<double>()[group];
    const double w = value_or(t.weight, c, 1), b = value_or(t.bias, c, 0);
    const double n = (x[i] - mean) * rstd, n_size = (std::abs(x[i]) + std::abs(mean)) * rstd;
    const double z_size = std::abs(w) * n_size + std::abs(b);
    return At{n, n_size, w, slope_at(dys[i], n * w + b, z_size, activation, ulps)};
  };
  parallel_for(s.all_groups(), 1, [&](std::int64_t group) {
    const double rstd = t.rstd.as<double>()[group];
    double sum = 0, dot = 0, sum_size = 0, dot_size = 0;
    for_each_in_group(s, group, [&](std::int64_t i, std::int64_t c) {
      const At e = at(group, i, c);
      const double g = e.dz.value * e.w, size = e.dz.size * std::abs(e.w);
      sum += g;
      dot += g * e.n;
      sum_size += size * size;
      dot_size += size * e.n_size * size * e.n_size;
    });
    sum_size = std::abs(sum) * each + std::sqrt(sum_size * each);
    dot_size = std::abs(dot) * each + std::sqrt(dot_size * each);
    for_each_in_group(s, group, [&](std::int64_t i, std::int64_t c) {
      const At e = at(group, i, c);
      t.dx.as<double>()[i] = rstd * (e.dz.value * e.w - each * (sum + e.n * dot));
      scale.dx.as<double>()[i] = rstd * (e.dz.size * std::abs(e.w) + sum_size +
                                         e.n_size * (std::abs(dot) * each + dot_size));
    });
  });
  if (!t.dweight.data && !t.dbias.data) return;
  const GroupShape single = s.by_channel();
  parallel_for(s.all_channels(), 1, [&](std::int64_t c) {
    double weight = 0, bias = 0, weight_size = 0, bias_size = 0;
    for (std::int64_t image = 0; image < s.batch; ++image)
      for_each_in_group(single, image * single.groups + c, [&](std::int64_t i, std::int64_t) {
        const At e = at(image * s.groups + c / s.channels, i, c);
        weight += e.dz.value * e.n;
        bias += e.dz.value;
        weight_size += e.dz.size * e.n_size * e.dz.size * e.n_size;
        bias_size += e.dz.size * e.dz.size;
      });
    if (t.dweight.data) {
      t.dweight.as<double>()[c] = weight;
      scale.dweight.as<double>()[c] = std::abs(weight) + std::sqrt(weight_size);
    }
    if (t.dbias.data) {
      t.dbias.as<double>()[c] = bias;
      scale.dbias.as<double>()[c] = std::abs(bias) + std::sqrt(bias_size);
    }
  });
}

// mean and rstd must belong to x; random numbers do not.
inline void make_group_moments(const GroupShape& s, const GroupGradients& t) {
  parallel_for(s.all_groups(), 1, [&](std::int64_t group) {
    const GroupMoments m = group_moments(s, group, t.x.as<double>(), 1e-5);
    t.mean.as<double>()[group] = m.mean;
    t.rstd.as<double>()[group] = m.rstd;
  });
}

// Operations per element: add up, subtract, square and add, scale, weight, bias; SiLU five more. Backward: normalise (2), the
// affine part (2), two sums (3), dx (4); the slope of SiLU nine more.
inline double forward_flops(const GroupShape& s, Activation a) {
  return (a == Activation::silu ? 12.0 : 7.0) * static_cast<double>(s.size());
}
inline double backward_flops(const GroupShape& s, Activation a) {
  return (a == Activation::silu ? 20.0 : 11.0) * static_cast<double>(s.size());
}

}  // namespace warpath::norm
