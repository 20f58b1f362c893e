// A row, or one block's part of it, held in registers: read once, worked on, written once. Used
// by the vectorised rungs and everything above them. Plain loads and stores: marking the data
// "evict first" (ld.cs, st.cs) was slower on an H200 at every length tried.
#pragma once
#include "core/launch.h"
#include "core/vector.cuh"
#include "stat.cuh"

namespace warpath::softmax {

template <class T>
struct PairOf;
template <>
struct PairOf<__half> {
  using type = __half2;
};
template <>
struct PairOf<__nv_bfloat16> {
  using type = __nv_bfloat162;
};

// The largest element, NaN passed over (the sum will show it); 16-bit types two at a time.
template <class T, int N>
__device__ __forceinline__ float largest(const Vector<T, N>& v) {
  if constexpr (sizeof(T) == 2 && N > 1) {
    const auto* pairs = reinterpret_cast<const typename PairOf<T>::type*>(v.at);
    auto most = pairs[0];
#pragma unroll
    for (int k = 1; k < N / 2; ++k) most = __hmax2(most, pairs[k]);
    return fmaxf(to_float(most.x), to_float(most.y));
  } else {
    float most = to_float(v.at[0]);
#pragma unroll
    for (int n = 1; n < N; ++n) most = fmaxf(most, to_float(v.at[n]));
    return most;
  }
}

// N elements an access, Items accesses a thread, Threads threads side by side.
template <class T, int N, int Items, int Threads>
struct RowPart {
  Vector<T, N> at[Items];

  static constexpr int size = N * Items * Threads;

  static __device__ __forceinline__ int column(int item, int thread) {
    return (item * Threads + thread) * N;
  }
  // How many of the `left` elements from here to the end of the row belong to this part.
  static __device__ __forceinline__ int inside(std::int64_t left) {
    return int(left < 0 ? 0 : left < size ? left : size);
  }

  // cols is a multiple of N whenever N > 1, so an access is inside or outside, never across the
  // end.
  __device__ __forceinline__ void load(const T* x, int cols, int thread) {
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (column(i, thread) < cols) at[i] = warpath::load<N>(x + column(i, thread));
  }
};

// The softmax of this part: first against the thread's own maximum, then, when the row's Stat is
// known, scaled.
template <class T, int N, int Items, int Threads>
struct ForwardPart {
  float e[N * Items];  // exp(x - own max)
  Stat own;

  using Part = RowPart<T, N, Items, Threads>;

  __device__ __forceinline__ void load(const T* x, int cols, int thread) {
    Part part;
    part.load(x, cols, thread);
    own = nothing();
#pragma unroll
    for (int i = 0; i < Items; ++i)
#pragma unroll
      for (int n = 0; n < N; ++n) {
        e[i * N + n] = Part::column(i, thread) < cols ? to_float(part.at[i].at[n]) : -INFINITY;
        own.max = fmaxf(own.max, e[i * N + n]);
      }
#pragma unroll
    for (int k = 0; k < N * Items; ++k) {
      e[k] = exp_from(e[k], own.max);
      own.sum += e[k];
    }
  }

  __device__ __forceinline__ void store(T* y, int cols, int thread, Stat row) const {
    const float factor = exp_from(own.max, row.max) / row.sum;
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      if (Part::column(i, thread) >= cols) continue;
      Vector<T, N> out;
#pragma unroll
      for (int n = 0; n < N; ++n) out.at[n] = from_float<T>(e[i * N + n] * factor);
      warpath::store<N>(y + Part::column(i, thread), out);
    }
  }
};

template <class T, int N, int Items, int Threads>
struct BackwardPart {
  RowPart<T, N, Items, Threads> y, dy;
  float own;  // sum of y * dy

  using Part = RowPart<T, N, Items, Threads>;

  __device__ __forceinline__ void load(const T* y_row, const T* dy_row, int cols, int thread) {
    y.load(y_row, cols, thread);
    dy.load(dy_row, cols, thread);
    own = 0;
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      if (Part::column(i, thread) >= cols) continue;
#pragma unroll
      for (int n = 0; n < N; ++n) own += to_float(y.at[i].at[n]) * to_float(dy.at[i].at[n]);
    }
  }

  __device__ __forceinline__ void store(T* dx, int cols, int thread, float dot) const {
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      if (Part::column(i, thread) >= cols) continue;
      Vector<T, N> out;
#pragma unroll
      for (int n = 0; n < N; ++n)
        out.at[n] = from_float<T>(to_float(y.at[i].at[n]) * (to_float(dy.at[i].at[n]) - dot));
      warpath::store<N>(dx + Part::column(i, thread), out);
    }
  }
};

inline constexpr int elements_a_thread = 32;
inline constexpr int longest_block_row = 1024 * elements_a_thread;

// Calls f(width, items, threads) as compile-time constants: how a row of up to longest_block_row
// elements is laid out. `vectors`: every row starts at a 16-byte boundary and is a whole number of
// vectors long. Up to 1024 elements, and up to 4096 floats, a thread takes two vectors where that
// fills the block: on an H200, forward, one vector a thread was a tenth slower and more were a
// little. Beyond, fewer threads with 32 elements each were as fast as more threads or faster.
template <class T, class F>
void with_row_shape(std::int64_t cols, bool vectors, F&& f) {
  const auto by_length = [&](auto width) {
    constexpr int N = decltype(width)::value;
    constexpr int two = 2 * lanes_of_16<T>;
    const auto call = [&](auto elements, auto threads) {
      f(width, std::integral_constant<int, decltype(elements)::value / N>{}, threads);
    };
    using std::integral_constant;
    if (cols <= 32 * 8) return call(integral_constant<int, 8>{}, integral_constant<int, 32>{});
    if (cols <= 32 * 16) return call(integral_constant<int, 16>{}, integral_constant<int, 32>{});
    if (cols <= 1024)
      return call(integral_constant<int, two>{}, integral_constant<int, 1024 / two>{});
    if constexpr (sizeof(T) == 4)
      if (cols > 2048 && cols <= 4096)
        return call(integral_constant<int, two>{}, integral_constant<int, 4096 / two>{});
    if (cols <= 128 * 32) return call(integral_constant<int, 32>{}, integral_constant<int, 128>{});
    if (cols <= 512 * 32) return call(integral_constant<int, 32>{}, integral_constant<int, 512>{});
    call(integral_constant<int, 32>{}, integral_constant<int, 1024>{});
  };
  if (vectors)
    by_length(std::integral_constant<int, lanes_of_16<T>>{});
  else
    by_length(std::integral_constant<int, 1>{});
}

// Rows of a block: as many as 128 threads take, so that blocks are not too small.
template <int Threads>
inline constexpr int rows_a_block = Threads < 128 ? 128 / Threads : 1;

// What all threads of a row have found, joined: `slots` has a place for every warp of the block.
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

template <class T, int N, int Items, int Threads>
static __global__ void __launch_bounds__(Threads* rows_a_block<Threads>, Threads == 512 ? 2 : 1)
    row_forward(const T* x, T* y, std::int64_t rows, std::int64_t cols) {
  __shared__ Stat slots[Threads * rows_a_block<Threads> / 32];
  const std::int64_t row = std::int64_t(blockIdx.x) * rows_a_block<Threads> + threadIdx.x / Threads;
  const int n = row < rows ? int(cols) : 0;  // nobody leaves: a barrier follows
  const int thread = threadIdx.x % Threads;
  ForwardPart<T, N, Items, Threads> part;
  part.load(x + row * cols, n, thread);
  const Stat whole = join_row<Threads>(
      part.own, slots, [](Stat s, auto width) { return warp_join<decltype(width)::value>(s); });
  part.store(y + row * cols, n, thread, whole);
}

template <class T, int N, int Items, int Threads>
static __global__ void __launch_bounds__(Threads* rows_a_block<Threads>)
    row_backward(const T* y, const T* dy, T* dx, std::int64_t rows, std::int64_t cols) {
  __shared__ float slots[Threads * rows_a_block<Threads> / 32];
  const std::int64_t row = std::int64_t(blockIdx.x) * rows_a_block<Threads> + threadIdx.x / Threads;
  const int n = row < rows ? int(cols) : 0;
  const int thread = threadIdx.x % Threads;
  BackwardPart<T, N, Items, Threads> part;
  part.load(y + row * cols, dy + row * cols, n, thread);
  const float dot = join_row<Threads>(part.own, slots, [](float v, auto width) {
    return warp_reduce<decltype(width)::value>(v, Sum{});
  });
  part.store(dx + row * cols, n, thread, dot);
}

// For cols <= longest_block_row.
template <class T>
void launch_row_forward(const T* x, T* y, std::int64_t rows, std::int64_t cols,
                        cudaStream_t stream) {
  const bool vectors = cols % lanes_of_16<T> == 0 && all_aligned(16, x, y);
  with_row_shape<T>(cols, vectors, [&](auto width, auto items, auto threads) {
    constexpr int block = decltype(threads)::value * rows_a_block<decltype(threads)::value>;
    row_forward<T, decltype(width)::value, decltype(items)::value, decltype(threads)::value>
        <<<grid_x(rows, rows_a_block<decltype(threads)::value>), block, 0, stream>>>(x, y, rows,
                                                                                     cols);
  });
}

template <class T>
void launch_row_backward(const T* y, const T* dy, T* dx, std::int64_t rows, std::int64_t cols,
                         cudaStream_t stream) {
  const bool vectors = cols % lanes_of_16<T> == 0 && all_aligned(16, y, dy, dx);
  with_row_shape<T>(cols, vectors, [&](auto width, auto items, auto threads) {
    constexpr int block = decltype(threads)::value * rows_a_block<decltype(threads)::value>;
    row_backward<T, decltype(width)::value, decltype(items)::value, decltype(threads)::value>
        <<<grid_x(rows, rows_a_block<decltype(threads)::value>), block, 0, stream>>>(y, dy, dx,
                                                                                     rows, cols);
  });
}

}  // namespace warpath::softmax
