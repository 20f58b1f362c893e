// The forward pass of rows that start anywhere (unaligned.cuh). Layer: layer norm, otherwise RMS norm. Add: of
// x + residual, which is written too.
#pragma once
#include "core/cluster/cluster.cuh"
#include "ops/norm/forward_row.cuh"
#include "ops/norm/unaligned.cuh"

namespace warpath::norm {

// Threads per block: as many as have registers for weights, and biases where there may be some, and shared
// memory for two rows or three.
template <bool Layer, bool Add>
struct ForwardWalk {
  static constexpr int threads = Layer || Add ? 768 : 1024, vectors = 4;
  static constexpr int tensors = Add ? 2 : 1, stages = Add ? 2 : 3;
};

inline constexpr int most_parts = 16;  // blocks of a cluster; over 8 a kernel must opt in

// Clustered: the blocks of a cluster share a row, block_cols columns each (whole vectors); the threads of a block are one group.
// Otherwise a block has as many rows at a time as it has groups.
template <bool Layer, bool Add, bool Clustered, class T>
static __global__ void __launch_bounds__(ForwardWalk<Layer, Add>::threads, 1)
    forward_unaligned(const ForwardProblem<T> p, int threads, int block_cols) {
  constexpr int N = lanes_of_16<T>, V = ForwardWalk<Layer, Add>::vectors;
  constexpr int stages = ForwardWalk<Layer, Add>::stages;
  constexpr bool biased = Layer || Add;  // may have a bias, and a mean
  using Piece = Vector<T, N>;
  extern __shared__ uint4 shared_words[];
  __shared__ RowSlots slots[2][1];
  __shared__ ClusterMailbox<float, most_parts> mailbox[2];

  const RowGroup group(threads);
  int blocks = 1, first = 0;  // of the cluster; this block's first column
  if constexpr (Clustered) {
    const auto cluster = cooperative_groups::this_cluster();
    blocks = cluster.num_blocks();
    first = cluster.block_rank() * block_cols;
    cluster.sync();  // all have started: they may be written to
  }
  const int rows = int(p.rows), step = int(gridDim.x) / blocks * group.count();
  int row = int(blockIdx.x) / blocks * group.count() + group.index;
  if (row >= rows) return;  // the whole group, and cluster; no barrier is of the whole block
  const auto start = [&](int r) { return r * p.cols + first; };  // in elements
  const std::int64_t cols = min(std::int64_t(block_cols), p.cols - first);
  const Cut<N> cut(p.x + start(row), cols);  // and of all rows of this group
  const RowRing<T, V, ForwardWalk<Layer, Add>::tensors, stages> ring(shared_words, group, cut);
  const RowEdge<T> edge{cut.edge(group.thread)};

  const auto fetch = [&](int r, Piece* stage) {
    if (r < rows) {
      ring.fetch(stage, 0, p.x + start(r));
      if constexpr (Add) ring.fetch(stage, 1, p.residual + start(r));
    }
    __pipeline_commit();  // an empty one past the end: the counting stays the same
  };
  // The element of the edges, asked for one row ahead.
  struct Ahead {
    T x, residual;
  };
  const auto ahead = [&](int r) -> Ahead {
    if (r >= rows) return {};
    return {edge.of(p.x + start(r)), Add ? edge.of(p.residual + start(r)) : T{}};
  };
#pragma unroll
  for (int s = 0; s < stages - 1; ++s) fetch(row + s * step, ring.stage(s));
  Ahead next = ahead(row);

  Piece weights[V], biases[V];
  const T *const weight = p.weight ? p.weight + first : nullptr, *const bias = p.bias
                                                                                   ? p.bias + first
                                                                                   : nullptr;
  ring.columns_of(weight, 1, ring.stage(stages - 1), weights);
  if constexpr (biased) ring.columns_of(bias, 0, ring.stage(stages - 1), biases);
  int turn = 0;
  Piece *stage = ring.own, *free = ring.stage(stages - 1);
  const auto all = [&](float own) {
    float one[1] = {own};
    group.sums(one, slots[turn]);
    if constexpr (Clustered) {
      mailbox[turn].post(one[0]);
      cooperative_groups::this_cluster().sync();
      one[0] = 0;
      for (int b = 0; b < blocks; ++b) one[0] += mailbox[turn].from[b];
    }
    turn ^= 1;
    return one[0] / float(p.cols);
  };
  // f(elements, which vector); by value: one 16-byte read of the ring.
  const auto for_each = [&](auto f) {
#pragma unroll
    for (int v = 0; v < V; ++v) {
      if (!ring.has(v)) break;
      float x[N];
      to_floats(Piece(ring.at(stage, 0, v)), x);
      f(x, v);
    }
  };
  for (; row < rows; row += step) {
    fetch(row + (stages - 1) * step, free);
    float x_edge = to_float(next.x);
    if constexpr (Add) x_edge = to_float(from_float<T>(x_edge + to_float(next.residual)));
    next = ahead(row + step);
    __pipeline_wait_prior(stages - 1);

    if constexpr (Add) {
      for_each([&](float(&x)[N], int v) {
        float r[N];
        to_floats(Piece(ring.at(stage, 1, v)), r);
#pragma unroll
        for (int n = 0; n < N; ++n) x[n] += r[n];
        const Piece sum = from_floats<T>(x);  // the norm is that of the rounded sum
        ring.at(stage, 0, v) = sum;
        store<N>(p.sum + start(row) + ring.column(v), sum);
      });
      if (edge.there()) p.sum[start(row) + edge.column] = from_float<T>(x_edge);
    }
    float mean = 0;
    if constexpr (Layer) {
      float sum = x_edge;  // 0 where there is none
      for_each([&](const float(&x)[N], int) {
#pragma unroll
        for (int n = 0; n < N; ++n) sum += x[n];
      });
      mean = all(sum);
    }
    float squares = edge.there() ? (x_edge - mean) * (x_edge - mean) : 0.0f;
    for_each([&](const float(&x)[N], int) {
#pragma unroll
      for (int n = 0; n < N; ++n) squares += (x[n] - mean) * (x[n] - mean);
    });
    const float rstd = rsqrtf(all(squares) + p.eps);

    for_each([&](float(&x)[N], int v) {
      float w[N], b[N];
      ring.floats_of(weights[v], w);
      if constexpr (biased) ring.floats_of(biases[v], b);
#pragma unroll
      for (int n = 0; n < N; ++n) x[n] = (x[n] - mean) * rstd * w[n] + (biased ? b[n] : 0.0f);
      store<N>(p.y + start(row) + ring.column(v), from_floats<T>(x));
    });
    if (edge.there())
      p.y[start(row) + edge.column] = from_float<T>(
          (x_edge - mean) * rstd * edge.weight(weight, 1) + (biased ? edge.weight(bias, 0) : 0.0f));
    if (group.thread == 0 && first == 0) {
      if (biased && p.means) p.means[row] = mean;
      if (p.rstds) p.rstds[row] = rstd;
    }
    free = stage;
    stage = ring.after(stage);
  }
}

template <bool Layer, bool Add, class... P>
std::string forward_unaligned_takes(DType dtype, std::int64_t rows, std::int64_t cols,
                                    const P*... p) {
  using Walk = ForwardWalk<Layer, Add>;
  return unaligned_takes<Walk>(dtype, rows, cols, 1, p...);
}

template <bool Layer, bool Add, class... P>
std::string forward_parts_take(DType dtype, std::int64_t rows, std::int64_t cols, const P*... p) {
  using Walk = ForwardWalk<Layer, Add>;
  return unaligned_takes<Walk>(dtype, rows, cols, most_parts, p...);
}

template <bool Layer, bool Add, class T>
void launch_forward_unaligned(const ForwardProblem<T>& p, cudaStream_t stream) {
  if (p.rows == 0) return;
  using Walk = ForwardWalk<Layer, Add>;
  const WalkPlan plan(p.rows, p.cols, lanes_of_16<T>, Walk::vectors, Walk::threads);
  const std::size_t bytes =
      RowRing<T, Walk::vectors, Walk::tensors, Walk::stages>::bytes(plan.block());
  const auto kernel = forward_unaligned<Layer, Add, false, T>;
  if (bytes > 48 * 1024) allow_shared(kernel, bytes);
  kernel<<<plan.blocks, plan.block(), bytes, stream>>>(p, plan.threads, int(p.cols));
}

// Rows that take more than one block: 2 to 16 share them.
template <bool Layer, bool Add, class T>
void launch_forward_parts(const ForwardProblem<T>& p, cudaStream_t stream) {
  if (p.rows == 0) return;
  using Walk = ForwardWalk<Layer, Add>;
  constexpr int N = lanes_of_16<T>;
  const std::int64_t most = std::int64_t(Walk::threads) * Walk::vectors * N;
  unsigned parts = 1;
  while (parts * most < p.cols) parts *= 2;
  const std::int64_t cols = ceil_div(ceil_div(p.cols, parts), N) * N;  // of each but the last
  const auto threads = static_cast<unsigned>(ceil_div(ceil_div(cols / N, Walk::vectors), 32) * 32);
  const ClusterLaunch launch{
      parts, threads, RowRing<T, Walk::vectors, Walk::tensors, Walk::stages>::bytes(int(threads)),
      stream};
  const auto kernel = forward_unaligned<Layer, Add, true, T>;
  const unsigned clusters = walking_groups(p.rows, p.cols, N, 1, launch.resident_clusters(kernel));
  launch(kernel, clusters, p, int(threads), int(cols));
}

}  // namespace warpath::norm
