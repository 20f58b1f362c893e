// A row, or one block's part of it, held in registers: read once, worked on, written once. Used
// by the vectorised rungs and everything above them. What is read is marked "evict last" (load_kept of core/vector.cuh);
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

__device__ __forceinline__ float2 to_floats(__half2 pair) {
  return __half22float2(pair);
}
// A bf16 is the upper half of a float.
__device__ __forceinline__ float2 to_floats(__nv_bfloat162 pair) {
  const unsigned both = reinterpret_cast<const unsigned&>(pair);
  return {__uint_as_float(both << 16), __uint_as_float(both & 0xffff0000u)};
}

// Every element as a float. Two 16-bit ones are taken from the register they share: asked for one by one, each would get a
// register of its own, and keep it.
template <class T, int N>
__device__ __forceinline__ void to_floats(const Vector<T, N>& v, float (&out)[N]) {
#pragma unroll
  for (int n = 0; n < N; ++n)
    if constexpr (sizeof(T) == 2 && N > 1) {
      const float2 two = to_floats(reinterpret_cast<const typename PairOf<T>::type*>(v.at)[n / 2]);
      out[n] = n % 2 == 0 ? two.x : two.y;
    } else {
      out[n] = to_float(v.at[n]);
    }
}

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
      at[i] = load_kept<N>(x + column(i, thread), column(i, thread) < cols);
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
      float a[N], b[N];
      to_floats(y.at[i], a);
      to_floats(dy.at[i], b);
#pragma unroll
      for (int n = 0; n < N; ++n) own += a[n] * b[n];
    }
  }

  __device__ __forceinline__ void store(T* dx, int cols, int thread, float dot) const {
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      if (Part::column(i, thread) >= cols) continue;
      float a[N], b[N];
      to_floats(y.at[i], a);
      to_floats(dy.at[i], b);
      Vector<T, N> out;
#pragma unroll
      for (int n = 0; n < N; ++n) out.at[n] = from_float<T>(a[n] * (b[n] - dot));
      warpath::store<N>(dx + Part::column(i, thread), out);
    }
  }
};

inline constexpr int elements_a_thread = 32;
inline constexpr int longest_block_row = 1024 * elements_a_thread;

// How a row lies in the registers of a block: so many elements a thread, so many threads; and how many threads a block has
// at least, for as many rows as these take.
template <int Elements, int Threads, int AtLeast>
struct RowShape {
  static constexpr int elements = Elements, threads = Threads;
  static constexpr int rows = Threads < AtLeast ? AtLeast / Threads : 1;
};

// Call f(shape) for a row of up to longest_block_row elements: what an H200 was fastest with at 1024, 2048, 4096 and 16384.
// What is loaded must be enough to keep the memory busy, and a block that waits for its slowest warp should not be alone
// on its SM.
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
// Two inputs: a vector of each does what two of one did.
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

// The row of this thread's place in the block.
template <class Shape>
__device__ __forceinline__ std::int64_t own_row() {
  return std::int64_t(blockIdx.x) * Shape::rows + threadIdx.x / Shape::threads;
}

template <class T, int N, class Shape>
static __global__ void __launch_bounds__(Shape::threads* Shape::rows, Shape::threads == 512 ? 2 : 1)
    row_forward(const T* x, T* y, std::int64_t rows, std::int64_t cols) {
  __shared__ Stat slots[Shape::threads * Shape::rows / 32];
  const std::int64_t row = own_row<Shape>();
  const int n = row < rows ? int(cols) : 0;  // nobody leaves: a barrier follows
  const int thread = threadIdx.x % Shape::threads;
  ForwardPart<T, N, Shape::elements / N, Shape::threads> part;
  part.load(x + row * cols, n, thread);
  const Stat whole = join_row<Shape::threads>(
      part.own, slots, [](Stat s, auto width) { return warp_join<decltype(width)::value>(s); });
  part.store(y + row * cols, n, thread, whole);
}

template <class T, int N, class Shape>
static __global__ void __launch_bounds__(Shape::threads* Shape::rows)
    row_backward(const T* y, const T* dy, T* dx, std::int64_t rows, std::int64_t cols) {
  __shared__ float slots[Shape::threads * Shape::rows / 32];
  const std::int64_t row = own_row<Shape>();
  const int n = row < rows ? int(cols) : 0;
  const int thread = threadIdx.x % Shape::threads;
  BackwardPart<T, N, Shape::elements / N, Shape::threads> part;
  part.load(y + row * cols, dy + row * cols, n, thread);
  const float dot = join_row<Shape::threads>(part.own, slots, [](float v, auto width) {
    return warp_reduce<decltype(width)::value>(v, Sum{});
  });
  part.store(dx + row * cols, n, thread, dot);
}

// f(width): every row starts at a 16-byte boundary and is a whole number of vectors long, or elements go one by one.
template <class T, class F, class... P>
void with_width(std::int64_t cols, F f, const P*... p) {
  if (cols % lanes_of_16<T> == 0 && all_aligned(16, p...))
    f(std::integral_constant<int, lanes_of_16<T>>{});
  else
    f(std::integral_constant<int, 1>{});
}

// For cols <= longest_block_row.
template <class T>
void launch_row_forward(const T* x, T* y, std::int64_t rows, std::int64_t cols,
                        cudaStream_t stream) {
  with_forward_shape<T>(cols, [&]<class Shape>(Shape) {
    const auto launch = [&](auto width) {
      row_forward<T, decltype(width)::value, Shape>
          <<<grid_x(rows, Shape::rows), Shape::threads * Shape::rows, 0, stream>>>(x, y, rows,
                                                                                   cols);
    };
    with_width<T>(cols, launch, x, y);
  });
}

template <class T>
void launch_row_backward(const T* y, const T* dy, T* dx, std::int64_t rows, std::int64_t cols,
                         cudaStream_t stream) {
  with_backward_shape<T>(cols, [&]<class Shape>(Shape) {
    const auto launch = [&](auto width) {
      row_backward<T, decltype(width)::value, Shape>
          <<<grid_x(rows, Shape::rows), Shape::threads * Shape::rows, 0, stream>>>(y, dy, dx, rows,
                                                                                   cols);
    };
    with_width<T>(cols, launch, y, dy, dx);
  });
}

}  // namespace warpath::softmax
