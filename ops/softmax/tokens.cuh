// The loss of one token from what was seen of its row of logits, and the gradient of that row.
//
// With lse = log(sum of exp(x)), K words and smoothing e:
//   loss     = (1 - e) * (lse - x[label]) + e * (lse - mean of x)
//   gradient = scale * (exp(x - lse) - e / K - (1 - e) at the label)
// A token whose label is ignored has a loss and a gradient of zero, whatever its logits are. A label
// that is no word gives NaN in both, and nothing is read or written by it.
#pragma once
#include <cstdint>

#include "core/block/softmax_stat.cuh"
#include "ops/softmax/lanes.cuh"

namespace warpath::softmax {

// What kernels need of a call beside the logits.
struct Tokens {
  const void* labels;
  bool wide;  // labels of 8 bytes; otherwise of 4
  std::int64_t ignore_index;
  std::int64_t rows;
  int words;
  float smoothing;
  float grad_scale;
  const unsigned* counted;  // how many labels are not ignored; null: the gradient is not divided
  float *loss, *lse;        // one per row; lse may be null

  __device__ __forceinline__ std::int64_t label(std::int64_t row) const {
    return wide ? static_cast<const long long*>(labels)[row] : static_cast<const int*>(labels)[row];
  }
};

// Whom a row is compared with.
struct Target {
  bool ignored;
  int word;  // -1: ignored, or no word at all

  __device__ __forceinline__ Target(const Tokens& tokens, std::int64_t row)
      : Target(tokens, Label{tokens.label(row)}) {}
  struct Label {
    std::int64_t value;
  };
  __device__ __forceinline__ Target(const Tokens& tokens, Label of_row) {
    const std::int64_t label = of_row.value;
    ignored = label == tokens.ignore_index;
    word = !ignored && label >= 0 && label < tokens.words ? int(label) : -1;
  }
  // Right of `logit` is the whole row; read before any gradient is written over it.
  template <class T>
  __device__ __forceinline__ float logit(const T* row) const {
    return word < 0 ? 0.0f : to_float(row[word]);
  }
};

__device__ __forceinline__ float log_sum(Stat row) {
  return row.max + logf(row.sum);
}

// `logit` is that of the label, `sum` that of all logits (used only where there is smoothing).
__device__ __forceinline__ float token_loss(const Tokens& tokens, Target target, Stat row,
                                            float logit, float sum) {
  if (target.ignored) return 0;
  if (target.word < 0) return NAN;
  const float log = logf(row.sum);  // relative to the maximum: small differences stay exact
  const float plain = row.max - logit + log;
  if (tokens.smoothing == 0) return plain;
  const float uniform = row.max - sum / float(tokens.words) + log;
  return (1 - tokens.smoothing) * plain + tokens.smoothing * uniform;
}

// One thread per row calls it.
__device__ __forceinline__ void write_token(const Tokens& tokens, std::int64_t row, Target target,
                                            Stat seen, float logit, float sum) {
  tokens.loss[row] = token_loss(tokens, target, seen, logit, sum);
  if (tokens.lse) tokens.lse[row] = log_sum(seen);
}

// The gradient of a row: exp(x - max) * factor - uniform, and `hit` less at the label.
struct Slope {
  float max, factor, uniform, hit;
  int word;
  bool ignored;

  // `weight` times the gradient of the loss, plus `weight_lse` times that of lse.
  __device__ __forceinline__ Slope(const Tokens& tokens, Target target, Stat row, float weight,
                                   float weight_lse = 0) {
    max = row.max;
    ignored = target.ignored && weight_lse == 0;
    word = target.word;
    if (target.ignored)
      weight = 0;
    else if (word < 0)
      weight = NAN;
    factor = (weight + weight_lse) / row.sum;
    uniform = tokens.smoothing / float(tokens.words) * weight;
    hit = (1 - tokens.smoothing) * weight;
  }

  template <class T, int N>
  __device__ __forceinline__ Vector<T, N> of(const Vector<T, N>& x, int column) const {
    Vector<T, N> out;
    float v[N];
    to_floats(x, v);
#pragma unroll
    for (int n = 0; n < N; ++n) v[n] = fmaf(exp_from(v[n], max), factor, -uniform);
    if (unsigned(word - column) < unsigned(N)) {
#pragma unroll
      for (int n = 0; n < N; ++n)
        if (column + n == word) v[n] -= hit;
    }
#pragma unroll
    for (int n = 0; n < N; ++n) out.at[n] = from_float<T>(ignored ? 0.0f : v[n]);
    return out;
  }
};

// What the gradient of every row is multiplied by.
__device__ __forceinline__ float gradient_scale(const Tokens& tokens) {
  return tokens.counted ? tokens.grad_scale / float(*tokens.counted) : tokens.grad_scale;
}

// More elements of a row: the largest and the sum of exponentials so far, one rescaling per vector.
template <class T, int N>
__device__ __forceinline__ Stat include(Stat s, const Vector<T, N>& x) {
  const float most = fmaxf(s.max, largest(x));
  float v[N];
  to_floats(x, v);
  s.sum *= exp_from(s.max, most);
#pragma unroll
  for (int n = 0; n < N; ++n) s.sum += exp_from(v[n], most);
  s.max = most;
  return s;
}

template <class T, int N>
__device__ __forceinline__ float sum_of(const Vector<T, N>& x) {
  float v[N], sum = 0;
  to_floats(x, v);
#pragma unroll
  for (int n = 0; n < N; ++n) sum += v[n];
  return sum;
}

}  // namespace warpath::softmax
