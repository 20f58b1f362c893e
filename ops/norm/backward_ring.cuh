// The backward pass with the rows on their way in while others are computed: every thread fetches its own
// vectors of x and dy into its own places of a ring in shared memory, a few rows ahead, and keeps its columns'
// sums for dweight and dbias in registers. Layer, Add: as in backward_walk.cuh.
#pragma once
#include <cuda_pipeline.h>

#include "core/ptx/roles.cuh"
#include "ops/norm/backward_walk.cuh"

namespace warpath::norm {

inline constexpr int ring_threads = 512;
inline constexpr int ring_vectors = 4;  // per thread and tensor

template <bool Add>
struct RingShape {
  static constexpr int tensors = Add ? 3 : 2, stages = Add ? 2 : 3;
  static constexpr std::size_t bytes =
      std::size_t(stages) * tensors * ring_vectors * ring_threads * 16;  // 192 KiB
};

// The longest row that `threads` threads take.
template <class T>
constexpr std::int64_t ring_cols(int threads) {
  return std::int64_t(threads) * ring_vectors * lanes_of_16<T>;
}

// A block has ring_threads / Threads groups, each with a row of its own at a time.
template <int Threads>
__device__ __forceinline__ void sync_group() {
  if constexpr (Threads == ring_threads)
    __syncthreads();
  else
    ptx::sync_some(1 + threadIdx.x / Threads, Threads);
}

// The two sums of a row over the threads of its group. `slots` may be written again after the next but one
// call: with two sets in turn, one barrier per row.
template <int Threads>
__device__ __forceinline__ float2 group_sums(float2 own, float2* slots) {
  own = {warp_reduce(own.x, Sum{}), warp_reduce(own.y, Sum{})};
  if constexpr (Threads == 32) return own;
  constexpr int warps = Threads / 32;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane == 0) slots[warp] = own;
  sync_group<Threads>();
  const float2 other = slots[warp / warps * warps + lane % warps];
  return {warp_reduce<warps>(other.x, Sum{}), warp_reduce<warps>(other.y, Sum{})};
}

template <bool Layer, bool Add, class T, int Threads>
static __global__ void __launch_bounds__(ring_threads, 1)
    backward_ring(const BackwardProblem<T> p) {
  using Shape = RingShape<Add>;
  constexpr int N = lanes_of_16<T>, V = ring_vectors, K = sums_per_column<Layer, Add>;
  constexpr int groups = ring_threads / Threads, stages = Shape::stages;
  using Piece = Vector<T, N>;
  extern __shared__ uint4 ring[];  // [stage][tensor][vector][thread]
  __shared__ float2 slots[2][ring_threads / 32];

  const int group = threadIdx.x / Threads, thread = threadIdx.x % Threads;
  const int cols = int(p.cols);
  const auto column = [&](int v) { return (v * Threads + thread) * N; };
  const auto place = [&](int stage, int tensor, int v) -> Piece& {
    return reinterpret_cast<Piece*>(
        ring)[((stage * Shape::tensors + tensor) * V + v) * ring_threads + threadIdx.x];
  };
  const std::int64_t step = std::int64_t(gridDim.x) * groups;
  const auto fetch = [&](std::int64_t row, int stage) {
    if (row < p.rows)
#pragma unroll
      for (int v = 0; v < V; ++v) {
        if (column(v) >= cols) break;
        const std::int64_t at = row * cols + column(v);
        __pipeline_memcpy_async(&place(stage, 0, v), p.x + at, 16);
        __pipeline_memcpy_async(&place(stage, 1, v), p.dy + at, 16);
        if constexpr (Add)
          if (p.ds) __pipeline_memcpy_async(&place(stage, 2, v), p.ds + at, 16);
      }
    __pipeline_commit();  // an empty one past the end: the counting stays the same
  };
  // Mean and 1/std of a row, asked for one row ahead.
  const auto moments = [&](std::int64_t row) -> float2 {
    if (row >= p.rows) return {0, 0};
    return {Layer ? p.means[row] : 0.0f, p.rstds[row]};
  };

  Piece weights[V];
  if (p.weight)
#pragma unroll
    for (int v = 0; v < V; ++v) weights[v] = load_kept<N>(p.weight + column(v), column(v) < cols);
  const auto weight = [&](int v, float(&w)[N]) {
    if (p.weight) {
      to_floats(weights[v], w);
    } else {
#pragma unroll
      for (int n = 0; n < N; ++n) w[n] = 1;
    }
  };

  float column_sums[K][V][N] = {};
  std::int64_t row = std::int64_t(blockIdx.x) * groups + group;
#pragma unroll
  for (int s = 0; s < stages - 1; ++s) fetch(row + s * step, s);
  float2 next = moments(row);
  int stage = 0, turn = 0;
  for (; row < p.rows; row += step) {
    fetch(row + (stages - 1) * step, stage == 0 ? stages - 1 : stage - 1);
    const auto [mean, rstd] = next;
    next = moments(row + step);
    __pipeline_wait_prior(stages - 1);

    float sums[2] = {0, 0};
#pragma unroll
    for (int v = 0; v < V; ++v) {
      if (column(v) >= cols) break;
      float x[N], dy[N], w[N];
      to_floats(Piece(place(stage, 0, v)), x);
      to_floats(Piece(place(stage, 1, v)), dy);
      weight(v, w);
      add_up<Layer>(sums, x, dy, w, mean, rstd);
#pragma unroll
      for (int n = 0; n < N; ++n) {
        column_sums[0][v][n] += x[n];
        if constexpr (K == 2) column_sums[1][v][n] += dy[n];
      }
    }
    const float2 all = group_sums<Threads>({sums[0], sums[1]}, slots[turn]);
    const float sum = all.x / float(cols), dot = all.y / float(cols);
#pragma unroll
    for (int v = 0; v < V; ++v) {
      if (column(v) >= cols) break;
      float x[N], dy[N], w[N];
      to_floats(Piece(place(stage, 0, v)), x);
      to_floats(Piece(place(stage, 1, v)), dy);
      weight(v, w);
      to_dx(x, dy, w, mean, rstd, sum, dot);
      if constexpr (Add)
        if (p.ds) {
          float ds[N];
          to_floats(Piece(place(stage, 2, v)), ds);
#pragma unroll
          for (int n = 0; n < N; ++n) x[n] += ds[n];
        }
      store<N>(p.dx + row * cols + column(v), from_floats<T>(x));
    }
    turn ^= 1;
    if (++stage == stages) stage = 0;
  }

  // The groups' sums meet in the ring, which nobody needs any more, and leave as one.
  if (!p.partials()) return;
  __syncthreads();
  float* const own = reinterpret_cast<float*>(ring) + std::int64_t(group) * K * cols;
#pragma unroll
  for (int k = 0; k < K; ++k)
#pragma unroll
    for (int v = 0; v < V; ++v)
      if (column(v) < cols)
#pragma unroll
        for (int n = 0; n < N; ++n) own[k * cols + column(v) + n] = column_sums[k][v][n];
  __syncthreads();
  float* const out = p.partials() + std::int64_t(blockIdx.x) * K * cols;
  for (int e = threadIdx.x; e < K * cols; e += ring_threads) {
    float sum = 0;
    for (int g = 0; g < groups; ++g) sum += reinterpret_cast<float*>(ring)[g * K * cols + e];
    out[e] = sum;
  }
}

// Empty, or why the rung cannot take the call.
template <class... P>
std::string ring_supports(DType dtype, std::int64_t cols, const P*... p) {
  const std::int64_t lanes = 16 / std::int64_t(size_of(dtype));
  if (cols % lanes != 0 || !all_aligned(16, p...))
    return "wants rows that start at 16-byte boundaries";
  if (cols > ring_threads * ring_vectors * lanes)
    return "takes rows of at most 32 KiB: what the ring has room for";
  return {};
}

// For rows of that many threads.
inline unsigned ring_blocks(std::int64_t rows, int threads) {
  return walking_blocks(rows, dim3(threads, ring_threads / threads));
}

template <bool Layer, bool Add, class T>
void launch_backward_ring(const BackwardProblem<T>& p, cudaStream_t stream) {
  if (p.cols == 0) return;
  const auto with = [&](auto threads) {
    constexpr int Threads = decltype(threads)::value;
    const unsigned blocks = ring_blocks(p.rows, Threads);
    const auto kernel = backward_ring<Layer, Add, T, Threads>;
    allow_shared(kernel, RingShape<Add>::bytes);
    if (p.rows > 0) kernel<<<blocks, ring_threads, RingShape<Add>::bytes, stream>>>(p);
    launch_add_partials(p.scratch, p.rows > 0 ? blocks : 0, sums_per_column<Layer, Add>, p.dweight,
                        p.dbias, p.cols, stream);
  };
  if (p.cols <= ring_cols<T>(32))
    with(std::integral_constant<int, 32>{});
  else if (p.cols <= ring_cols<T>(128))
    with(std::integral_constant<int, 128>{});
  else
    with(std::integral_constant<int, ring_threads>{});
}

// Enough for a block per row; several rows in a block leave fewer sums.
inline std::int64_t backward_ring_scratch(std::int64_t rows, std::int64_t cols) {
  return partial_bytes(ring_blocks(rows, ring_threads), 2, cols);
}

}  // namespace warpath::norm
