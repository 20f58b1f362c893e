// It must be quick: a bench case of a 16384^3 product is 8.8e12 operations.
#include "core/host/product.h"

#include <algorithm>
#include <vector>

#include "core/host/parallel.h"

namespace warpath {
namespace {

constexpr int down = 8, right = 16;  // of d, in registers: 16 vectors of 8
constexpr std::int64_t depth = 256;  // of a block: 256 x 16 of b are 32 KiB
constexpr std::int64_t rows = 64, cols = 512;
constexpr std::int64_t tall = 128;  // rows of a block on one thread: packing b costs less beside it

// d[down][right] += a^T b; a is [depth][down], b is [depth][right]. Rows of d at a time, in vectors of Bytes: no wider than
// a register, for GCC keeps wider vectors in memory, and no more of them than there are registers.
template <int Bytes, int Rows>
[[gnu::always_inline]] inline void add_rows(const double* a, const double* b, double* d,
                                            std::int64_t n) {
  typedef double Lanes __attribute__((vector_size(Bytes)));
  constexpr int lanes = Bytes / 8, across = right / lanes;
  for (int first = 0; first < down; first += Rows) {
    Lanes sum[Rows][across] = {};
    for (std::int64_t l = 0; l < n; ++l) {
      Lanes r[across];
#pragma GCC unroll 8
      for (int j = 0; j < across; ++j)
        __builtin_memcpy(&r[j], b + l * right + j * lanes, sizeof(Lanes));
#pragma GCC unroll 8
      for (int i = 0; i < Rows; ++i)
#pragma GCC unroll 8
        for (int j = 0; j < across; ++j) sum[i][j] += a[l * down + first + i] * r[j];
    }
    for (int i = 0; i < Rows; ++i)
      for (int j = 0; j < right; ++j) d[(first + i) * right + j] += sum[i][j / lanes][j % lanes];
  }
}

using AddBlock = void (*)(const double* a, const double* b, double* d, std::int64_t n);

void add_block_16(const double* a, const double* b, double* d, std::int64_t n) {
  add_rows<16, 1>(a, b, d, n);
}
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
[[gnu::target("arch=x86-64-v3")]] void add_block_32(const double* a, const double* b, double* d,
                                                    std::int64_t n) {
  add_rows<32, 2>(a, b, d, n);
}
[[gnu::target("arch=x86-64-v4")]] void add_block_64(const double* a, const double* b, double* d,
                                                    std::int64_t n) {
  add_rows<64, 8>(a, b, d, n);
}
AddBlock widest() {
  if (__builtin_cpu_supports("x86-64-v4")) return add_block_64;
  return __builtin_cpu_supports("x86-64-v3") ? add_block_32 : add_block_16;
}
#else
AddBlock widest() {
  return add_block_16;
}
#endif

std::int64_t up(std::int64_t n, std::int64_t to) {
  return (n + to - 1) / to * to;
}

struct Block {
  std::int64_t i0, j0, m, n;  // its place in d and its size
};

// Element (l, i) of `from`, depth x n, to [i / width][l][i % width]. Reads along memory.
void pack(std::vector<double>& to, MatrixView from, std::int64_t ls, std::int64_t n,
          std::int64_t width, std::int64_t deep) {
  const auto put = [&](std::int64_t l, std::int64_t i) {
    to[static_cast<std::size_t>((i / width * deep + l) * width + i % width)] =
        from.at[l * from.down + i * from.right];
  };
  if (from.right == 1) {
    for (std::int64_t l = 0; l < ls; ++l)
      for (std::int64_t i = 0; i < n; ++i) put(l, i);
  } else {
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t l = 0; l < ls; ++l) put(l, i);
  }
}

// Adds to a part of d: for each stretch of k both operands are packed, zeros where they end.
void work(const Block& at, MatrixView a, MatrixView b, double* d, std::int64_t pitch,
          std::int64_t k) {
  static const AddBlock add_block = widest();
  const std::int64_t deep = std::min(depth, k);
  // Kept from call to call: fresh memory costs a page fault every 4 KiB.
  thread_local std::vector<double> pa, pb, out;
  pa.assign(static_cast<std::size_t>(up(at.m, down) * deep), 0.0);
  pb.assign(static_cast<std::size_t>(up(at.n, right) * deep), 0.0);
  out.assign(static_cast<std::size_t>(up(at.m, down) * up(at.n, right)), 0.0);
  for (std::int64_t l0 = 0; l0 < k; l0 += deep) {
    const std::int64_t ls = std::min(deep, k - l0);
    pack(pa, {a.at + at.i0 * a.down + l0 * a.right, a.right, a.down}, ls, at.m, down, deep);
    pack(pb, {b.at + l0 * b.down + at.j0 * b.right, b.down, b.right}, ls, at.n, right, deep);
    for (std::int64_t j = 0; j < at.n; j += right)
      for (std::int64_t i = 0; i < at.m; i += down)
        add_block(pa.data() + i * deep, pb.data() + j * deep,
                  out.data() + (j / right * up(at.m, down) + i) * right, ls);
  }
  for (std::int64_t j = 0; j < at.n; j += right)
    for (std::int64_t i = 0; i < at.m; ++i) {
      const double* from = out.data() + (j / right * up(at.m, down) + i) * right;
      double* to = d + (at.i0 + i) * pitch + at.j0 + j;
      for (std::int64_t e = 0; e < std::min<std::int64_t>(right, at.n - j); ++e) to[e] += from[e];
    }
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
