// The product in float64 that every rung is held against. It must be quick, for a bench case of
// 16384^3 is 8.8e12 operations: blocks that stay in the caches, a block of d in registers, and the
// widest vectors this machine has.
#include "ops/matmul/matmul/reference.h"

#include <algorithm>

#include "core/host/parallel.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
// One version for each width of vectors; the right one is chosen when the library is loaded.
#define WARPATH_WIDEST __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define WARPATH_WIDEST
#endif

namespace warpath::matmul {
namespace {

constexpr int down = 4, right = 16;  // of d, in registers: 8 vectors of 8
constexpr std::int64_t depth = 256;  // of a block: 256 x 16 of b are 32 KiB
constexpr std::int64_t rows = 64, cols = 512;

using Row = double __attribute__((vector_size(right * sizeof(double))));

// d[down][right] += a^T b; a is [depth][down], b is [depth][right].
WARPATH_WIDEST void add_block(const double* a, const double* b, double* d, std::int64_t n) {
  Row sum[down] = {};
  for (std::int64_t l = 0; l < n; ++l) {
    Row r;
    __builtin_memcpy(&r, b + l * right, sizeof r);
#pragma GCC unroll 4
    for (int i = 0; i < down; ++i) sum[i] += a[l * down + i] * r;
  }
  for (int i = 0; i < down; ++i)
    for (int j = 0; j < right; ++j) d[i * right + j] += sum[i][j];
}

std::int64_t up(std::int64_t n, std::int64_t to) {
  return (n + to - 1) / to * to;
}

struct Block {
  std::int64_t i0, j0, m, n;  // its place in d and its size
};

// A part of d: for each stretch of k both operands are packed, zeros where they end.
void work(const Block& at, const double* a, const double* b, double* d, std::int64_t n,
          std::int64_t k) {
  std::vector<double> pa(static_cast<std::size_t>(up(at.m, down) * depth));
  std::vector<double> pb(static_cast<std::size_t>(up(at.n, right) * depth));
  std::vector<double> out(static_cast<std::size_t>(up(at.m, down) * up(at.n, right)));
  for (std::int64_t l0 = 0; l0 < k; l0 += depth) {
    const std::int64_t ls = std::min(depth, k - l0);
    std::fill(pa.begin(), pa.end(), 0.0);
    std::fill(pb.begin(), pb.end(), 0.0);
    for (std::int64_t i = 0; i < at.m; ++i)
      for (std::int64_t l = 0; l < ls; ++l)
        pa[static_cast<std::size_t>((i / down * depth + l) * down + i % down)] =
            a[(at.i0 + i) * k + l0 + l];
    for (std::int64_t l = 0; l < ls; ++l)
      for (std::int64_t j = 0; j < at.n; ++j)
        pb[static_cast<std::size_t>((j / right * depth + l) * right + j % right)] =
            b[(l0 + l) * n + at.j0 + j];
    for (std::int64_t j = 0; j < at.n; j += right)
      for (std::int64_t i = 0; i < at.m; i += down)
        add_block(pa.data() + i * depth, pb.data() + j * depth,
                  out.data() + (j / right * up(at.m, down) + i) * right, ls);
  }
  for (std::int64_t i = 0; i < at.m; ++i)
    for (std::int64_t j = 0; j < at.n; ++j)
      d[(at.i0 + i) * n + at.j0 + j] =
          out[static_cast<std::size_t>((j / right * up(at.m, down) + i) * right + j % right)];
}

}  // namespace

void product(const double* a, const double* b, double* d, std::int64_t m, std::int64_t n,
             std::int64_t k) {
  const std::int64_t blocks_right = (n + cols - 1) / cols;
  parallel_for((m + rows - 1) / rows * blocks_right, 1, [&](std::int64_t q) {
    const std::int64_t i0 = q / blocks_right * rows, j0 = q % blocks_right * cols;
    work({i0, j0, std::min(rows, m - i0), std::min(cols, n - j0)}, a, b, d, n, k);
  });
}

}  // namespace warpath::matmul
