// It must be quick: a bench case of a 16384^3 product is 8.8e12 operations.
#include "core/host/product.h"

#include <algorithm>
#include <vector>

#include "core/host/parallel.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
// One version for each width of vectors; the right one is chosen when the library is loaded.
#define WARPATH_WIDEST __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define WARPATH_WIDEST
#endif

namespace warpath {
namespace {

constexpr int down = 4, right = 16;  // of d, in registers: 8 vectors of 8
constexpr std::int64_t depth = 256;  // of a block: 256 x 16 of b are 32 KiB
constexpr std::int64_t rows = 64, cols = 512;
constexpr std::int64_t tall = 128;  // rows of a block on one thread: packing b costs less beside it

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

// Adds to a part of d: for each stretch of k both operands are packed, zeros where they end.
void work(const Block& at, MatrixView a, MatrixView b, double* d, std::int64_t pitch,
          std::int64_t k) {
  const std::int64_t deep = std::min(depth, k);
  std::vector<double> pa(static_cast<std::size_t>(up(at.m, down) * deep));
  std::vector<double> pb(static_cast<std::size_t>(up(at.n, right) * deep));
  std::vector<double> out(static_cast<std::size_t>(up(at.m, down) * up(at.n, right)));
  for (std::int64_t l0 = 0; l0 < k; l0 += deep) {
    const std::int64_t ls = std::min(deep, k - l0);
    for (std::int64_t i = 0; i < at.m; ++i)
      for (std::int64_t l = 0; l < ls; ++l)
        pa[static_cast<std::size_t>((i / down * deep + l) * down + i % down)] =
            a.at[(at.i0 + i) * a.down + (l0 + l) * a.right];
    const auto pack_b = [&](std::int64_t l, std::int64_t j) {
      pb[static_cast<std::size_t>((j / right * deep + l) * right + j % right)] =
          b.at[(l0 + l) * b.down + (at.j0 + j) * b.right];
    };
    if (b.right == 1) {
      for (std::int64_t l = 0; l < ls; ++l)
        for (std::int64_t j = 0; j < at.n; ++j) pack_b(l, j);
    } else {
      for (std::int64_t j = 0; j < at.n; ++j)
        for (std::int64_t l = 0; l < ls; ++l) pack_b(l, j);
    }
    for (std::int64_t j = 0; j < at.n; j += right)
      for (std::int64_t i = 0; i < at.m; i += down)
        add_block(pa.data() + i * deep, pb.data() + j * deep,
                  out.data() + (j / right * up(at.m, down) + i) * right, ls);
  }
  for (std::int64_t i = 0; i < at.m; ++i)
    for (std::int64_t j = 0; j < at.n; ++j)
      d[(at.i0 + i) * pitch + at.j0 + j] +=
          out[static_cast<std::size_t>((j / right * up(at.m, down) + i) * right + j % right)];
}

}  // namespace

void product(const double* a, const double* b, double* d, std::int64_t m, std::int64_t n,
             std::int64_t k) {
  const std::int64_t blocks_right = (n + cols - 1) / cols;
  std::fill(d, d + m * n, 0.0);
  parallel_for((m + rows - 1) / rows * blocks_right, 1, [&](std::int64_t q) {
    const std::int64_t i0 = q / blocks_right * rows, j0 = q % blocks_right * cols;
    work({i0, j0, std::min(rows, m - i0), std::min(cols, n - j0)}, {a, k, 1}, {b, n, 1}, d, n, k);
  });
}

void add_product(MatrixView a, MatrixView b, double* d, std::int64_t pitch, std::int64_t m,
                 std::int64_t n, std::int64_t k) {
  for (std::int64_t i0 = 0; i0 < m; i0 += tall)
    for (std::int64_t j0 = 0; j0 < n; j0 += cols)
      work({i0, j0, std::min(tall, m - i0), std::min(cols, n - j0)}, a, b, d, pitch, k);
}

}  // namespace warpath
