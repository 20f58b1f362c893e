// The backward pass with the rows of x and dy in registers, and a block's sums for dweight and dbias in
// its shared memory. Layer: layer norm, otherwise RMS norm, which has no mean. Add: the gradient `ds` of
// the sum that was normalised is added to dx.
#pragma once
#include "ops/norm/partial_sums.cuh"

namespace warpath::norm {

template <class T>
struct BackwardProblem {
  const T *x, *dy, *ds;  // ds may be null
  const float *means, *rstds;
  const T* weight;  // may be null
  T *dx, *dweight, *dbias;
  std::int64_t rows, cols;
  void* scratch;

  // Null where neither dweight nor dbias is wanted.
  __host__ __device__ float* partials() const {
    return dweight || dbias ? static_cast<float*>(scratch) : nullptr;
  }
};

// dweight, and dbias where there may be a bias.
template <bool Layer, bool Add>
constexpr int sums_per_column = Layer || Add ? 2 : 1;

// Adds to the two sums of a row: of g = dy * weight (layer norm alone), and of g * n. x becomes dy * n, what
// the row adds to dweight.
template <bool Layer, int N>
__device__ __forceinline__ void add_up(float (&sums)[2], float (&x)[N], const float (&dy)[N],
                                       const float (&w)[N], float mean, float rstd) {
#pragma unroll
  for (int n = 0; n < N; ++n) {
    x[n] = dy[n] * ((x[n] - mean) * rstd);
    if constexpr (Layer) sums[0] += dy[n] * w[n];
    sums[1] += x[n] * w[n];
  }
}

// x becomes dx. sum and dot: the row's two sums over its length.
template <int N>
__device__ __forceinline__ void to_dx(float (&x)[N], const float (&dy)[N], const float (&w)[N],
                                      float mean, float rstd, float sum, float dot) {
#pragma unroll
  for (int n = 0; n < N; ++n) x[n] = rstd * (dy[n] * w[n] - sum - (x[n] - mean) * rstd * dot);
}

// Elements per thread: what the registers of 1024 threads hold of two inputs, or of three. Single
// elements take more registers for addresses than for data.
template <bool Add, int N>
constexpr int walk_elements = N > 1 && !Add ? 16 : 8;

template <bool Layer, bool Add, class T, int N>
static __global__ void __launch_bounds__(most_threads) backward_walk(const BackwardProblem<T> p) {
  constexpr int Items = walk_elements<Add, N> / N, K = sums_per_column<Layer, Add>;
  extern __shared__ float shared[];
  __shared__ RowSlots slots[2][2];  // two sets in turn: one barrier per row
  ColumnSums<N, Items, K> column_sums(shared);
  int turn = 0;
  for (std::int64_t first = std::int64_t(blockIdx.x) * blockDim.y; first < p.rows;
       first += std::int64_t(gridDim.x) * blockDim.y) {
    const std::int64_t row = first + threadIdx.y, start = row * p.cols;
    const int inside = row < p.rows ? int(p.cols) : 0;
    Row<T, N, Items> x, dy, ds;
    x.load(p.x + start, inside);
    dy.load(p.dy + start, inside);
    if constexpr (Add) ds.load(p.ds + start, p.ds ? inside : 0);
    const float mean = Layer && inside ? p.means[row] : 0.0f, rstd = inside ? p.rstds[row] : 0.0f;

    // The sums over the columns of this row, and what it adds to the sums over all rows: both before the
    // barrier, while other warps still wait for their loads.
    float sums[2] = {0, 0};
    for_each_pair(x, dy, inside, [&](float(&a)[N], float(&b)[N], int item, int column) {
      float w[N];
      load_floats(p.weight, column, 1.0f, w);
      add_up<Layer>(sums, a, b, w, mean, rstd);
      if (!p.partials()) return;
      column_sums.add(0, item, a);
      if constexpr (K == 2) column_sums.add(1, item, b);
    });
    row_sums(sums, slots[turn]);
    turn ^= 1;

    const float sum = sums[0] / float(p.cols), dot = sums[1] / float(p.cols);
    for_each_pair(x, dy, inside, [&](float(&a)[N], float(&b)[N], int item, int column) {
      float w[N];
      load_floats(p.weight, column, 1.0f, w);
      to_dx(a, b, w, mean, rstd, sum, dot);
      if constexpr (Add) {
        float c[N];
        to_floats(ds.at[item], c);
#pragma unroll
        for (int n = 0; n < N; ++n) a[n] += c[n];
      }
      store<N>(p.dx + start + column, from_floats<T>(a));
    });
  }
  if (p.partials()) column_sums.leave(shared, p.partials(), p.cols);
}

// Long rows, first: the two sums of each row.
template <bool Layer, class T, int N>
static __global__ void __launch_bounds__(most_threads)
    backward_row_sums(const BackwardProblem<T> p, float2* sums) {
  constexpr int Items = walk_elements<false, N> / N;
  __shared__ RowSlots slots[2];
  const std::int64_t row = blockIdx.x;
  const float mean = Layer ? p.means[row] : 0.0f, rstd = p.rstds[row];
  float own[2] = {0, 0};
  for (std::int64_t first = 0; first < p.cols; first += Row<T, N, Items>::size()) {
    const int inside = int(min(p.cols - first, std::int64_t(Row<T, N, Items>::size())));
    Row<T, N, Items> x, dy;
    x.load(p.x + row * p.cols + first, inside);
    dy.load(p.dy + row * p.cols + first, inside);
    for_each_pair(x, dy, inside, [&](float(&a)[N], float(&b)[N], int, int column) {
      float w[N];
      load_floats(p.weight ? p.weight + first : nullptr, column, 1.0f, w);
      add_up<Layer>(own, a, b, w, mean, rstd);
    });
  }
  row_sums(own, slots);
  if (threadIdx.x == 0) sums[row] = {own[0] / float(p.cols), own[1] / float(p.cols)};
}

inline constexpr int slab_threads = 256, most_slab_parts = 32;

// Then: block (s, b) has slab s of the columns, N per thread, and every gridDim.y-th row from b on.
template <bool Layer, bool Add, class T, int N>
static __global__ void __launch_bounds__(slab_threads)
    backward_slab(const BackwardProblem<T> p, const float2* sums) {
  const std::int64_t column = (std::int64_t(blockIdx.x) * slab_threads + threadIdx.x) * N;
  if (column >= p.cols) return;
  float w[N], dweight[N] = {}, dbias[N] = {};
  load_floats(p.weight ? p.weight + column : nullptr, 0, 1.0f, w);
#pragma unroll 4
  for (std::int64_t row = blockIdx.y; row < p.rows; row += gridDim.y) {
    const std::int64_t at = row * p.cols + column;
    float a[N], b[N], c[N];
    to_floats(load<N>(p.x + at), a);
    to_floats(load<N>(p.dy + at), b);
    if constexpr (Add) load_floats(p.ds ? p.ds + at : nullptr, 0, 0.0f, c);
    const float mean = Layer ? p.means[row] : 0.0f, rstd = p.rstds[row];
    const float2 sum = sums[row];
#pragma unroll
    for (int n = 0; n < N; ++n) {
      dweight[n] += b[n] * ((a[n] - mean) * rstd);
      dbias[n] += b[n];
    }
    to_dx(a, b, w, mean, rstd, sum.x, sum.y);
    if constexpr (Add)
#pragma unroll
      for (int n = 0; n < N; ++n) a[n] += c[n];
    store<N>(p.dx + at, from_floats<T>(a));
  }
  if (!p.partials()) return;
  float* const out = p.partials() + blockIdx.y * sums_per_column<Layer, Add> * p.cols + column;
#pragma unroll
  for (int n = 0; n < N; ++n) {
    out[n] = dweight[n];
    if constexpr (sums_per_column<Layer, Add> == 2) out[p.cols + n] = dbias[n];
  }
}

// What a call needs, by the width of its accesses.
template <bool Add, int N>
struct BackwardShape {
  bool is_long;
  dim3 block;
  unsigned partials;  // per column: one for each block of the walk, or of a slab

  BackwardShape(std::int64_t rows, std::int64_t cols) {
    constexpr int each = walk_elements<Add, N>;
    is_long = cols > each * most_threads;
    block = row_block(cols, each, 512);
    partials = is_long ? static_cast<unsigned>(std::min<std::int64_t>(rows, most_slab_parts))
                       : walking_blocks(rows, block);
  }
};

template <bool Layer, bool Add, class T>
void launch_backward_walk(const BackwardProblem<T>& p, cudaStream_t stream) {
  if (p.cols == 0) return;
  constexpr int K = sums_per_column<Layer, Add>;
  const auto with = [&](auto width) {
    constexpr int N = decltype(width)::value;
    const BackwardShape<Add, N> shape(p.rows, p.cols);
    if (p.rows > 0 && shape.is_long) {
      auto* const sums = reinterpret_cast<float2*>(static_cast<char*>(p.scratch) +
                                                   partial_bytes(shape.partials, 2, p.cols));
      backward_row_sums<Layer, T, N><<<grid_x(p.rows, 1), shape.block, 0, stream>>>(p, sums);
      const dim3 grid(grid_x(p.cols, slab_threads * N), shape.partials);
      backward_slab<Layer, Add, T, N><<<grid, slab_threads, 0, stream>>>(p, sums);
    } else if (p.rows > 0) {
      const std::size_t bytes = ColumnSums<N, walk_elements<Add, N> / N, K>::bytes(shape.block);
      if (bytes > 48 * 1024) allow_shared(backward_walk<Layer, Add, T, N>, bytes);
      backward_walk<Layer, Add, T, N><<<shape.partials, shape.block, bytes, stream>>>(p);
    }
    launch_add_partials(p.scratch, shape.partials, K, p.dweight, p.dbias, p.cols, stream);
  };
  with_width<T>(p.cols, with, p.x, p.dy, p.ds, p.weight, p.dx);
}

// Enough for either width, because where the tensors lie is not known yet.
template <bool Add>
std::int64_t backward_walk_scratch(std::int64_t rows, std::int64_t cols) {
  const auto bytes = [&](auto shape) {
    const std::int64_t sums = shape.is_long ? rows * std::int64_t(sizeof(float2)) : 0;
    return partial_bytes(shape.partials, 2, cols) + sums;
  };
  return std::max(bytes(BackwardShape<Add, 1>(rows, cols)),
                  bytes(BackwardShape<Add, 8>(rows, cols)));
}

}  // namespace warpath::norm
