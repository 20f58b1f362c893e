// What the float64 reference and the inputs of the backward pass are computed by: one head of one sequence.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/host/product.h"
#include "core/thread/philox.cuh"
#include "ops/attention/attention/reference.h"

namespace warpath::attention {

constexpr std::int64_t block = 128;  // queries at a time
constexpr double infinity = std::numeric_limits<double>::infinity();

using Matrix = std::vector<double>;

inline Matrix zeros(std::int64_t n) {
  return Matrix(static_cast<std::size_t>(n));
}

inline void set(const Tensor& t, double value) {
  std::fill(t.as<double>(), t.as<double>() + t.size(), value);
}

template <class Args>
std::vector<Sequence> sequences(const Args& args) {
  return sequences_of(args, args.q_offsets.template as<std::int64_t>(),
                      args.k_offsets.template as<std::int64_t>());
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

}  // namespace warpath::attention
