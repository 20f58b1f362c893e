// The forward pass with the row in registers: each element is read once and written once. Layer: layer
// norm, otherwise RMS norm, which has no mean. Add: of x + residual, which is written too.
#pragma once
#include "core/host/dependent_launch.cuh"
#include "core/ptx/grid_order.cuh"
#include "ops/norm/moments.cuh"

namespace warpath::norm {

template <class T>
struct ForwardProblem {
  const T *x, *residual, *weight, *bias;  // weight and bias may be null
  T *y, *sum;                             // sum = x + residual
  float *means, *rstds;                   // may be null
  float eps;
  std::int64_t rows, cols;

  // By one thread per row.
  __device__ __forceinline__ void keep(std::int64_t row, float mean, float rstd) const {
    if (threadIdx.x != 0 || row >= rows) return;
    if (means) means[row] = mean;
    if (rstds) rstds[row] = rstd;
  }

  // A part of a row, from `start` on, `inside` elements of it.
  template <bool Add, int N, int Items>
  __device__ __forceinline__ void load(Row<T, N, Items>& part, std::int64_t start,
                                       int inside) const {
    part.load(x + start, inside);
    if constexpr (Add) {
      Row<T, N, Items> other;
      other.load(residual + start, inside);
#pragma unroll
      for (int i = 0; i < Items; ++i) {
        if (part.column(i) >= inside) continue;
        float a[N], b[N];
        to_floats(part.at[i], a);
        to_floats(other.at[i], b);
#pragma unroll
        for (int n = 0; n < N; ++n) a[n] += b[n];
        part.at[i] =
            from_floats<T>(a);  // the norm is that of the rounded sum, as if read from memory
        warpath::store<N>(sum + start + part.column(i), part.at[i]);
      }
    }
  }

  // The same part, whose first column is `first`, normalised.
  template <int N, int Items>
  __device__ __forceinline__ void store(const Row<T, N, Items>& part, std::int64_t start,
                                        std::int64_t first, int inside, float mean,
                                        float rstd) const {
    part.for_each(inside, [&](float(&v)[N], int column) {
      float w[N], b[N];
      load_floats(weight ? weight + first : nullptr, column, 1.0f, w);
      load_floats(bias ? bias + first : nullptr, column, 0.0f, b);
#pragma unroll
      for (int n = 0; n < N; ++n) v[n] = (v[n] - mean) * rstd * w[n] + b[n];
      warpath::store<N>(y + start + column, from_floats<T>(v));
    });
  }
};

// Two exact passes over registers: the mean, then the squared distances from it.
template <bool Layer, bool Add, class T, int N, int Items>
static __global__ void __launch_bounds__(most_threads) forward_row(const ForwardProblem<T> p) {
  __shared__ RowSlots sum_slots, square_slots;
  ptx::let_next_grid_start();
  ptx::wait_for_grids_before();
  const std::int64_t row = std::int64_t(blockIdx.x) * blockDim.y + threadIdx.y;
  const int inside = row < p.rows ? int(p.cols) : 0;  // no early return: a barrier follows
  Row<T, N, Items> part;
  p.template load<Add>(part, row * p.cols, inside);

  float mean = 0;
  if constexpr (Layer) {
    float sum = 0;
    part.for_each(inside, [&](const float(&v)[N], int) {
#pragma unroll
      for (int n = 0; n < N; ++n) sum += v[n];
    });
    mean = row_sum(sum, sum_slots) / float(p.cols);
  }
  float squares = 0;
  part.for_each(inside, [&](const float(&v)[N], int) {
#pragma unroll
    for (int n = 0; n < N; ++n) squares += (v[n] - mean) * (v[n] - mean);
  });
  const float rstd = rsqrtf(row_sum(squares, square_slots) / float(p.cols) + p.eps);
  p.store(part, row * p.cols, 0, inside, mean, rstd);
  p.keep(row, mean, rstd);
}

// Rows that one block cannot hold: part by part, twice. The second time a sum is read back by the
// thread that wrote it.
template <bool Layer, bool Add, class T, int N, int Items>
static __global__ void __launch_bounds__(most_threads) forward_long_row(const ForwardProblem<T> p) {
  __shared__ MomentSlots moment_slots;
  __shared__ RowSlots square_slots;
  ptx::let_next_grid_start();
  ptx::wait_for_grids_before();
  const int size = Row<T, N, Items>::size();
  const std::int64_t row = blockIdx.x;
  const auto inside = [&](std::int64_t first) {
    return int(min(p.cols - first, std::int64_t(size)));
  };
  Moments m = no_moments();
  for (std::int64_t first = 0; first < p.cols; first += size) {
    Row<T, N, Items> part;
    p.template load<Add>(part, row * p.cols + first, inside(first));
    if constexpr (Layer)
      m = join(m, moments_of(part, inside(first)));
    else
      part.for_each(inside(first), [&](const float(&v)[N], int) {
#pragma unroll
        for (int n = 0; n < N; ++n) m.squares += v[n] * v[n];
      });
  }
  if constexpr (Layer)
    m = row_join(m, moment_slots);
  else
    m.squares = row_sum(m.squares, square_slots);
  const float rstd = rsqrtf(m.squares / float(p.cols) + p.eps);
  for (std::int64_t first = 0; first < p.cols; first += size) {
    Row<T, N, Items> part;
    part.load((Add ? p.sum : p.x) + row * p.cols + first, inside(first));
    p.store(part, row * p.cols + first, first, inside(first), m.mean, rstd);
  }
  p.keep(row, m.mean, rstd);
}

// Few rows, as when a model writes text, are over before the next launch: it overlaps.
// Four vectors per thread while that makes at most 512 threads: more threads share the row's latency. Eight
// beyond, so that two blocks fit on an SM and one loads while the other stores. Single elements take more
// registers for addresses than for data, so that eight is the most there; with two inputs in flight, four
// vectors are the most.
template <bool Layer, bool Add, class T>
void launch_forward_row(const ForwardProblem<T>& p, cudaStream_t stream) {
  if (p.rows == 0) return;
  const auto with_items = [&](auto kernel, int each) {
    const dim3 block = row_block(p.cols, each, 128);
    const unsigned blocks = grid_x(p.rows, block.y);
    DependentLaunch{blocks, block, 0, stream, DependentLaunch::pays(blocks)}(kernel, p);
  };
  const auto with = [&](auto width) {
    constexpr int N = decltype(width)::value, few = N > 1 ? 4 : 8;
    constexpr bool more = N > 1 && !Add;
    if (p.cols <= Row<T, N, few>::longest / (more ? 2 : 1))
      return with_items(forward_row<Layer, Add, T, N, few>, N * few);
    if constexpr (more)
      if (p.cols <= Row<T, N, 8>::longest)
        return with_items(forward_row<Layer, Add, T, N, 8>, N * 8);
    with_items(forward_long_row<Layer, Add, T, N, few>, N * few);
  };
  with_width<T>(p.cols, with, p.x, p.residual, p.y, p.sum, p.weight, p.bias);
}

}  // namespace warpath::norm
