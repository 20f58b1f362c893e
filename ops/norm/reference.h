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
