// The backward pass of rows that start anywhere (unaligned.cuh), with the sums of a thread's columns in registers.
// Layer, Add: as in backward_walk.cuh.
#pragma once
#include "ops/norm/backward_walk.cuh"
#include "ops/norm/unaligned.cuh"

namespace warpath::norm {

template <bool Add>
struct BackwardWalk {  // as many threads as have registers for two sums per column
  static constexpr int threads = Add ? 384 : 512, tensors = Add ? 3 : 2, stages = 3;
};

template <bool Layer, bool Add, class T>
static __global__ void __launch_bounds__(BackwardWalk<Add>::threads, 1)
    backward_unaligned(const BackwardProblem<T> p, int threads) {
  constexpr int N = lanes_of_16<T>, V = walk_vectors, K = sums_per_column<Layer, Add>;
  constexpr int stages = BackwardWalk<Add>::stages;
  using Piece = Vector<T, N>;
  extern __shared__ uint4 shared_words[];
  __shared__ RowSlots slots[2][2];

  const RowGroup group(threads);
  const int cols = int(p.cols), rows = int(p.rows), groups = group.count();
  const int step = int(gridDim.x) * groups;
  int row = int(blockIdx.x) * groups + group.index;
  const auto start = [&](int r) { return r * p.cols; };  // of a row, in elements
  const Cut<N> cut(p.x + start(row), cols);  // of this row and of all others of this group
  const RowRing<T, BackwardWalk<Add>::tensors, stages> ring(shared_words, group, cut);
  const RowEdge<T> edge{cut.edge(group.thread)};

  const auto fetch = [&](int r, Piece* stage) {
    if (r < rows) {
      ring.fetch(stage, 0, p.x + start(r));
      ring.fetch(stage, 1, p.dy + start(r));
      if constexpr (Add)
        if (p.ds) ring.fetch(stage, 2, p.ds + start(r));
    }
    __pipeline_commit();  // an empty one past the end: the counting stays the same
  };
  // Asked for one row ahead: the row's mean and 1/std, and its element of the edges.
  struct Ahead {
    float mean, rstd;
    T x, dy, ds;
  };
  const auto ahead = [&](int r) -> Ahead {
    if (r >= rows) return {};
    return {Layer ? p.means[r] : 0.0f, p.rstds[r], edge.of(p.x + start(r)),
            edge.of(p.dy + start(r)), Add && p.ds ? edge.of(p.ds + start(r)) : T{}};
  };
#pragma unroll
  for (int s = 0; s < stages - 1; ++s) fetch(row + s * step, ring.stage(s));
  Ahead next = ahead(row);

  Piece weights[V];
  ring.columns_of(p.weight, 1, ring.stage(stages - 1), weights);
  const float edge_weight[1] = {edge.weight(p.weight, 1)};

  float column_sums[K][V][N] = {}, edge_sums[K] = {};
  int turn = 0;
  Piece *stage = ring.own, *free = ring.stage(stages - 1);
  for (; row < rows; row += step) {
    fetch(row + (stages - 1) * step, free);
    const Ahead now = next;
    next = ahead(row + step);
    __pipeline_wait_prior(stages - 1);

    float sums[2] = {0, 0};
#pragma unroll
    for (int v = 0; v < V; ++v) {
      if (!ring.has(v)) break;
      float x[N], dy[N], w[N];
      to_floats(Piece(ring.at(stage, 0, v)), x);
      to_floats(Piece(ring.at(stage, 1, v)), dy);
      ring.floats_of(weights[v], w);
      add_up<Layer>(sums, x, dy, w, now.mean, now.rstd);
#pragma unroll
      for (int n = 0; n < N; ++n) {
        column_sums[0][v][n] += x[n];
        if constexpr (K == 2) column_sums[1][v][n] += dy[n];
      }
    }
    const float edge_dy[1] = {to_float(now.dy)};
    if (edge.there()) {
      float x[1] = {to_float(now.x)};
      add_up<Layer>(sums, x, edge_dy, edge_weight, now.mean, now.rstd);
      edge_sums[0] += x[0];
      if constexpr (K == 2) edge_sums[1] += edge_dy[0];
    }
    group.sums(sums, slots[turn]);
    turn ^= 1;
    const float sum = sums[0] / float(cols), dot = sums[1] / float(cols);

    T* const dx = p.dx + start(row);
#pragma unroll
    for (int v = 0; v < V; ++v) {
      if (!ring.has(v)) break;
      float x[N], dy[N], w[N];
      to_floats(Piece(ring.at(stage, 0, v)), x);
      to_floats(Piece(ring.at(stage, 1, v)), dy);
      ring.floats_of(weights[v], w);
      to_dx(x, dy, w, now.mean, now.rstd, sum, dot);
      if constexpr (Add)
        if (p.ds) {
          float ds[N];
          to_floats(Piece(ring.at(stage, 2, v)), ds);
#pragma unroll
          for (int n = 0; n < N; ++n) x[n] += ds[n];
        }
      store<N>(dx + ring.column(v), from_floats<T>(x));
    }
    if (edge.there()) {
      float x[1] = {to_float(now.x)};
      to_dx(x, edge_dy, edge_weight, now.mean, now.rstd, sum, dot);
      dx[edge.column] = from_float<T>(x[0] + to_float(now.ds));
    }
    free = stage;
    stage = ring.after(stage);
  }

  // The groups' sums meet in the ring, which nobody needs any more, and leave as one.
  if (!p.partials()) return;
  __syncthreads();
  float* const meet = reinterpret_cast<float*>(shared_words);
  float* const own = meet + group.index * K * cols;
#pragma unroll
  for (int k = 0; k < K; ++k) {
#pragma unroll
    for (int v = 0; v < V; ++v)
      if (ring.has(v))
#pragma unroll
        for (int n = 0; n < N; ++n) own[k * cols + ring.column(v) + n] = column_sums[k][v][n];
    if (edge.there()) own[k * cols + edge.column] = edge_sums[k];
  }
  __syncthreads();
  float* const out = p.partials() + std::int64_t(blockIdx.x) * K * cols;
  for (int e = threadIdx.x; e < K * cols; e += int(blockDim.x)) {
    float sum = 0;
    for (int g = 0; g < groups; ++g) sum += meet[g * K * cols + e];
    out[e] = sum;
  }
}

template <bool Add, class... P>
std::string backward_unaligned_takes(DType dtype, std::int64_t rows, std::int64_t cols,
                                     const P*... p) {
  using Walk = BackwardWalk<Add>;
  return unaligned_takes(dtype, rows, cols, Walk::threads, Walk::tensors, Walk::stages, p...);
}

template <bool Layer, bool Add, class T>
void launch_backward_unaligned(const BackwardProblem<T>& p, cudaStream_t stream) {
  if (p.cols == 0) return;
  using Walk = BackwardWalk<Add>;
  const WalkPlan plan(p.rows, p.cols, lanes_of_16<T>, Walk::threads);
  constexpr int K = sums_per_column<Layer, Add>;
  const std::size_t meet = sizeof(float) * plan.groups * K * static_cast<std::size_t>(p.cols);
  const std::size_t bytes =
      std::max(RowRing<T, Walk::tensors, Walk::stages>::bytes(plan.block()), meet);
  const auto kernel = backward_unaligned<Layer, Add, T>;
  if (bytes > 48 * 1024) allow_shared(kernel, bytes);
  if (p.rows > 0) kernel<<<plan.blocks, plan.block(), bytes, stream>>>(p, plan.threads);
  launch_add_partials(p.scratch, p.rows > 0 ? plan.blocks : 0, K, p.dweight, p.dbias, p.cols,
                      stream);
}

template <bool Add>
std::int64_t backward_unaligned_scratch(int rows, std::int64_t cols, DType dtype) {
  const WalkPlan plan(rows, cols, 16 / static_cast<int>(size_of(dtype)),
                      BackwardWalk<Add>::threads);
  return partial_bytes(plan.blocks, 2, cols);
}

}  // namespace warpath::norm
