// A row, or one block's part of it, held in registers: read once, computed on, written once. Used
// by the vectorised rungs and everything above them. Rows may start anywhere (cut.cuh).
#pragma once
#include "core/block/softmax_stat.cuh"
#include "core/host/launch.h"
#include "ops/softmax/cut.cuh"
#include "ops/softmax/lanes.cuh"

namespace warpath::softmax {

// The softmax of this part: first relative to the thread's own maximum, then scaled when the row's
// Stat is known.
template <class T, int N, int Items, int Threads, bool Whole = N == 1>
struct ForwardPart {
  float e[N * Items + 1];  // exp(x - own max); the last is that of the edges
  Stat own;
  Cut<N, Whole> cut;

  using Part = RowPart<T, N, Items, Threads>;

  __device__ __forceinline__ ForwardPart(const T* x, int cols, int thread) : cut(x, cols) {
    Part part;
    part.load(x, cut, thread);
    own = nothing();
#pragma unroll
    for (int i = 0; i < Items; ++i)
#pragma unroll
      for (int n = 0; n < N; ++n) {
        e[i * N + n] =
            Part::vector(i, thread) < cut.vectors ? to_float(part.at[i].at[n]) : -INFINITY;
        own.max = fmaxf(own.max, e[i * N + n]);
      }
    e[N * Items] = cut.edge(thread) < 0 ? -INFINITY : to_float(part.edge);
    own.max = fmaxf(own.max, e[N * Items]);
#pragma unroll
    for (int k = 0; k < N * Items + !Whole; ++k) {
      e[k] = exp_from(e[k], own.max);
      own.sum += e[k];
    }
  }

  __device__ __forceinline__ void store(T* y, int thread, Stat row) const {
    const float factor = exp_from(own.max, row.max) / row.sum;
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      if (Part::vector(i, thread) >= cut.vectors) continue;
      Vector<T, N> out;
#pragma unroll
      for (int n = 0; n < N; ++n) out.at[n] = from_float<T>(e[i * N + n] * factor);
      warpath::store<N>(y + cut.column(Part::vector(i, thread)), out);
    }
    if (const int at = cut.edge(thread); at >= 0) y[at] = from_float<T>(e[N * Items] * factor);
  }
};

template <class T, int N, int Items, int Threads, bool Whole = N == 1>
struct BackwardPart {
  RowPart<T, N, Items, Threads> y, dy;
  float own;  // sum of y * dy
  Cut<N, Whole> cut;

  using Part = RowPart<T, N, Items, Threads>;

  __device__ __forceinline__ BackwardPart(const T* y_row, const T* dy_row, int cols, int thread)
      : cut(y_row, cols) {
    y.load(y_row, cut, thread);
    dy.load(dy_row, cut, thread);
    own = cut.edge(thread) < 0 ? 0.0f : to_float(y.edge) * to_float(dy.edge);
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      if (Part::vector(i, thread) >= cut.vectors) continue;
      float a[N], b[N];
      to_floats(y.at[i], a);
      to_floats(dy.at[i], b);
#pragma unroll
      for (int n = 0; n < N; ++n) own += a[n] * b[n];
    }
  }

  __device__ __forceinline__ void store(T* dx, int thread, float dot) const {
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      if (Part::vector(i, thread) >= cut.vectors) continue;
      float a[N], b[N];
      to_floats(y.at[i], a);
      to_floats(dy.at[i], b);
      Vector<T, N> out;
#pragma unroll
      for (int n = 0; n < N; ++n) out.at[n] = from_float<T>(a[n] * (b[n] - dot));
      warpath::store<N>(dx + cut.column(Part::vector(i, thread)), out);
    }
    if (const int at = cut.edge(thread); at >= 0)
      dx[at] = from_float<T>(to_float(y.edge) * (to_float(dy.edge) - dot));
  }
};

inline constexpr int elements_a_thread = 32;
inline constexpr int longest_block_row = 1024 * elements_a_thread;

// How a row lies in the registers of a block: elements per thread, threads per row, and the least
// number of threads per block. A block takes as many rows as fill it.
template <int Elements, int Threads, int AtLeast>
struct RowShape {
  static constexpr int elements = Elements, threads = Threads;
  static constexpr int rows = Threads < AtLeast ? AtLeast / Threads : 1;
};

// Call f(shape) for a row of up to longest_block_row elements: the shapes were the fastest on an
// H200 at 1024, 2048, 4096 and 16384. Enough loads must be in flight to keep the memory busy, and a
// block that waits for its slowest warp should not be alone on its SM.
template <class T, class F>
void with_forward_shape(std::int64_t cols, F f) {
  constexpr int two = 2 * lanes_of_16<T>;  // vectors
  constexpr int of_4k = sizeof(T) == 4 ? two : 2 * two;
  if (cols <= 256) return f(RowShape<8, 32, 128>{});
  if (cols <= 512) return f(RowShape<16, 32, 128>{});
  if (cols <= 1024) return f(RowShape<two, 1024 / two, 128>{});
  if (cols <= 2048) return f(RowShape<two, 2048 / two, 128>{});
  if (cols <= 4096) return f(RowShape<of_4k, 4096 / of_4k, 128>{});
  if (cols <= 8192) return f(RowShape<32, 256, 128>{});
  if (cols <= 16384) return f(RowShape<32, 512, 128>{});
  f(RowShape<32, 1024, 128>{});
}
// Two inputs: one vector of each keeps as much in flight as two vectors of one.
template <class T, class F>
void with_backward_shape(std::int64_t cols, F f) {
  constexpr int one = lanes_of_16<T>, wide = 4096 / one;
  if (cols <= 256) return f(RowShape<8, 32, 128>{});
  if (cols <= 512) return f(RowShape<16, 32, 128>{});
  if (cols <= 1024) return f(RowShape<one, 1024 / one, 512>{});
  if (cols <= 2048) return f(RowShape<one, 2048 / one, 512>{});
  if (cols <= 4096) return f(RowShape<one, wide, 512>{});
  if (cols <= 8192) return f(RowShape<2 * one, wide, 512>{});
  if (cols <= 16384) return f(RowShape<4 * one, wide, 512>{});
  f(RowShape<32, 1024, 512>{});
}

// Joins the values of all threads of a row. `slots` has a place for every warp of the block.
template <int Threads, class V, class Join>
__device__ __forceinline__ V join_row(V own, V* slots, Join warps) {
  own = warps(own, std::integral_constant<int, 32>{});
  if constexpr (Threads == 32) return own;
  constexpr int each = Threads / 32;
  const int warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) slots[warp] = own;
  __syncthreads();
  return warps(slots[warp / each * each + threadIdx.x % each], std::integral_constant<int, each>{});
}

// The row that this thread works on.
template <class Shape>
__device__ __forceinline__ std::int64_t own_row() {
  return std::int64_t(blockIdx.x) * Shape::rows + threadIdx.x / Shape::threads;
}

template <class T, class W, class Shape>
static __global__ void __launch_bounds__(Shape::threads* Shape::rows, Shape::threads == 512 ? 2 : 1)
    row_forward(const T* x, T* y, std::int64_t rows, std::int64_t cols) {
  __shared__ Stat slots[Shape::threads * Shape::rows / 32];
  const std::int64_t row = own_row<Shape>();
  const int n = row < rows ? int(cols) : 0;  // no early return: a barrier follows
  const int thread = threadIdx.x % Shape::threads;
  const ForwardPart<T, W::n, Shape::elements / W::n, Shape::threads, W::whole> part(x + row * cols,
                                                                                    n, thread);
  const Stat whole = join_row<Shape::threads>(
      part.own, slots, [](Stat s, auto width) { return warp_join<decltype(width)::value>(s); });
  part.store(y + row * cols, thread, whole);
}

template <class T, class W, class Shape>
static __global__ void __launch_bounds__(Shape::threads* Shape::rows)
    row_backward(const T* y, const T* dy, T* dx, std::int64_t rows, std::int64_t cols) {
  __shared__ float slots[Shape::threads * Shape::rows / 32];
  const std::int64_t row = own_row<Shape>();
  const int n = row < rows ? int(cols) : 0;
  const int thread = threadIdx.x % Shape::threads;
  const BackwardPart<T, W::n, Shape::elements / W::n, Shape::threads, W::whole> part(
      y + row * cols, dy + row * cols, n, thread);
  const float dot = join_row<Shape::threads>(part.own, slots, [](float v, auto width) {
    return warp_reduce<decltype(width)::value>(v, Sum{});
  });
  part.store(dx + row * cols, thread, dot);
}

// Tensors that are cut differently are rare: one shape for all of their rows.
template <class W, class Shape>
using ShapeFor = std::conditional_t<W::n == 1, RowShape<32, 1024, 128>, Shape>;

// For cols <= longest_block_row.
template <class T>
void launch_row_forward(const T* x, T* y, std::int64_t rows, std::int64_t cols,
                        cudaStream_t stream) {
  with_forward_shape<T>(cols, [&]<class Best>(Best) {
    const auto launch = [&]<class W>(W) {
      using Shape = ShapeFor<W, Best>;
      row_forward<T, W, Shape>
          <<<grid_x(rows, Shape::rows), Shape::threads * Shape::rows, 0, stream>>>(x, y, rows,
                                                                                   cols);
    };
    with_width<T>(cols, launch, x, y);
  });
}

template <class T>
void launch_row_backward(const T* y, const T* dy, T* dx, std::int64_t rows, std::int64_t cols,
                         cudaStream_t stream) {
  with_backward_shape<T>(cols, [&]<class Best>(Best) {
    const auto launch = [&]<class W>(W) {
      using Shape = ShapeFor<W, Best>;
      row_backward<T, W, Shape>
          <<<grid_x(rows, Shape::rows), Shape::threads * Shape::rows, 0, stream>>>(y, dy, dx, rows,
                                                                                   cols);
    };
    with_width<T>(cols, launch, y, dy, dx);
  });
}

}  // namespace warpath::softmax
