// It must be quick: a bench case of a 16384^3 product is 8.8e12 operations.
#include "core/host/product.h"

#include <algorithm>
#include <vector>

#include "core/host/parallel.h"

namespace warpath {
namespace {

constexpr int down = 8;  // of d, in registers: 16 vectors of 64 bytes
template <class T>
constexpr int right = 128 / sizeof(T);
constexpr std::int64_t depth = 256;  // of a block: 256 x 128 bytes of b are 32 KiB
constexpr std::int64_t rows = 64, cols = 512;
constexpr std::int64_t tall = 512;  // rows of a block on one thread: packing b costs less beside it

// d[down][right] += a^T b; a is [depth][down], b is [depth][right]. Rows of d at a time, in vectors of Bytes: no wider than
// a register, for GCC keeps wider vectors in memory, and no more of them than there are registers.
template <class T, int Bytes, int Rows>
[[gnu::always_inline]] inline void add_rows(const T* a, const T* b, T* d, std::int64_t n) {
  typedef T Lanes __attribute__((vector_size(Bytes)));
  constexpr int lanes = Bytes / sizeof(T), across = right<T> / lanes;
  for (int first = 0; first < down; first += Rows) {
    Lanes sum[Rows][across] = {};
    for (std::int64_t l = 0; l < n; ++l) {
      Lanes r[across];
#pragma GCC unroll 8
      for (int j = 0; j < across; ++j)
        __builtin_memcpy(&r[j], b + l * right<T> + j * lanes, sizeof(Lanes));
#pragma GCC unroll 8
      for (int i = 0; i < Rows; ++i)
#pragma GCC unroll 8
        for (int j = 0; j < across; ++j) sum[i][j] += a[l * down + first + i] * r[j];
    }
    for (int i = 0; i < Rows; ++i)
      for (int j = 0; j < right<T>; ++j)
        d[(first + i) * right<T> + j] += sum[i][j / lanes][j % lanes];
  }
}

template <class T>
using AddBlock = void (*)(const T* a, const T* b, T* d, std::int64_t n);

template <class T>
void add_block_16(const T* a, const T* b, T* d, std::int64_t n) {
  add_rows<T, 16, 1>(a, b, d, n);
}
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
template <class T>
[[gnu::target("arch=x86-64-v3")]] void add_block_32(const T* a, const T* b, T* d, std::int64_t n) {
  add_rows<T, 32, 2>(a, b, d, n);
}
template <class T>
[[gnu::target("arch=x86-64-v4")]] void add_block_64(const T* a, const T* b, T* d, std::int64_t n) {
  add_rows<T, 64, 8>(a, b, d, n);
}
template <class T>
AddBlock<T> widest() {
  if (__builtin_cpu_supports("x86-64-v4")) return add_block_64<T>;
  return __builtin_cpu_supports("x86-64-v3") ? add_block_32<T> : add_block_16<T>;
}
#else
template <class T>
AddBlock<T> widest() {
  return add_block_16<T>;
}
#endif

std::int64_t up(std::int64_t n, std::int64_t to) {
  return (n + to - 1) / to * to;
}

struct Block {
  std::int64_t i0, j0, m, n;  // its place in d and its size
};

// Element (l, i) of `from`, depth x n, to [i / Width][l][i % Width]; zeros from n to the next multiple of Width.
template <int Width, class T>
void pack(std::vector<T>& to, MatrixView from, std::int64_t ls, std::int64_t n, std::int64_t deep) {
  for (std::int64_t i = 0; i < n; i += Width) {
    T* at = to.data() + i * deep;
    const double* x = from.at + i * from.right;
    const std::int64_t left = std::min<std::int64_t>(Width, n - i);
    if (left == Width && from.right == 1) {
      for (std::int64_t l = 0; l < ls; ++l)
        for (int e = 0; e < Width; ++e) at[l * Width + e] = static_cast<T>(x[l * from.down + e]);
    } else if (left == Width && from.down == 1) {
      for (std::int64_t l = 0; l < ls; ++l)
        for (int e = 0; e < Width; ++e) at[l * Width + e] = static_cast<T>(x[e * from.right + l]);
    } else {
      for (std::int64_t l = 0; l < ls; ++l)
        for (std::int64_t e = 0; e < Width; ++e)
          at[l * Width + e] = e < left ? static_cast<T>(x[l * from.down + e * from.right]) : T(0);
    }
  }
}

// Adds to a part of d: for each stretch of k both operands are packed.
template <class T>
void work(const Block& at, MatrixView a, MatrixView b, double* d, std::int64_t pitch,
          std::int64_t k) {
  static const AddBlock<T> add_block = widest<T>();
  constexpr int width = right<T>;
  const std::int64_t deep = std::min(depth, k);
  // Kept from call to call: fresh memory costs a page fault every 4 KiB.
  thread_local std::vector<T> pa, pb, out;
  pa.resize(static_cast<std::size_t>(up(at.m, down) * deep));
  pb.resize(static_cast<std::size_t>(up(at.n, width) * deep));
  out.assign(static_cast<std::size_t>(up(at.m, down) * up(at.n, width)), T(0));
  for (std::int64_t l0 = 0; l0 < k; l0 += deep) {
    const std::int64_t ls = std::min(deep, k - l0);
    pack<down>(pa, {a.at + at.i0 * a.down + l0 * a.right, a.right, a.down}, ls, at.m, deep);
    pack<width>(pb, {b.at + l0 * b.down + at.j0 * b.right, b.down, b.right}, ls, at.n, deep);
    for (std::int64_t j = 0; j < at.n; j += width)
      for (std::int64_t i = 0; i < at.m; i += down)
        add_block(pa.data() + i * deep, pb.data() + j * deep,
                  out.data() + (j / width * up(at.m, down) + i) * width, ls);
  }
  for (std::int64_t j = 0; j < at.n; j += width)
    for (std::int64_t i = 0; i < at.m; ++i) {
      const T* from = out.data() + (j / width * up(at.m, down) + i) * width;
      double* to = d + (at.i0 + i) * pitch + at.j0 + j;
      for (std::int64_t e = 0; e < std::min<std::int64_t>(width, at.n - j); ++e) to[e] += from[e];
    }
}

template <class T>
void add(MatrixView a, MatrixView b, double* d, std::int64_t pitch, std::int64_t m, std::int64_t n,
         std::int64_t k) {
  for (std::int64_t i0 = 0; i0 < m; i0 += tall)
    for (std::int64_t j0 = 0; j0 < n; j0 += cols)
      work<T>({i0, j0, std::min(tall, m - i0), std::min(cols, n - j0)}, a, b, d, pitch, k);
}

}  // namespace

void product(const double* a, const double* b, double* d, std::int64_t m, std::int64_t n,
             std::int64_t k) {
  const std::int64_t blocks_right = (n + cols - 1) / cols;
  std::fill(d, d + m * n, 0.0);
  parallel_for((m + rows - 1) / rows * blocks_right, 1, [&](std::int64_t q) {
    const std::int64_t i0 = q / blocks_right * rows, j0 = q % blocks_right * cols;
    work<double>({i0, j0, std::min(rows, m - i0), std::min(cols, n - j0)}, {a, k, 1}, {b, n, 1}, d,
                 n, k);
  });
}

void add_product(MatrixView a, MatrixView b, double* d, std::int64_t pitch, std::int64_t m,
                 std::int64_t n, std::int64_t k) {
  add<double>(a, b, d, pitch, m, n, k);
}

void add_product_in_float(MatrixView a, MatrixView b, double* d, std::int64_t pitch, std::int64_t m,
                          std::int64_t n, std::int64_t k) {
  add<float>(a, b, d, pitch, m, n, k);
}

}  // namespace warpath
