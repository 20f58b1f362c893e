// The forward pass of rows that start anywhere (unaligned.cuh). Layer: layer norm, otherwise RMS norm. Add: of
// x + residual, which is written too.
#pragma once
#include "ops/norm/forward_row.cuh"
#include "ops/norm/unaligned.cuh"

namespace warpath::norm {

// Threads per block: as many as have registers for weights, and biases where there may be some, and shared
// memory for three rows.
template <bool Layer, bool Add>
struct ForwardWalk {
  static constexpr int threads = Add ? 512 : Layer ? 768 : 1024, tensors = Add ? 2 : 1, stages = 3;
};

template <bool Layer, bool Add, class T>
static __global__ void __launch_bounds__(ForwardWalk<Layer, Add>::threads, 1)
    forward_unaligned(const ForwardProblem<T> p, int threads) {
  constexpr int N = lanes_of_16<T>, V = walk_vectors, stages = ForwardWalk<Layer, Add>::stages;
  constexpr bool biased = Layer || Add;  // may have a bias, and a mean
  using Piece = Vector<T, N>;
  extern __shared__ uint4 shared_words[];
  __shared__ RowSlots slots[2][1];

  const RowGroup group(threads);
  const int rows = int(p.rows), step = int(gridDim.x) * group.count();
  int row = int(blockIdx.x) * group.count() + group.index;
  if (row >= rows) return;  // the whole group; no barrier is of the whole block
  const auto start = [&](int r) { return r * p.cols; };  // of a row, in elements
  const Cut<N> cut(p.x + start(row), p.cols);            // and of all rows of this group
  const RowRing<T, ForwardWalk<Layer, Add>::tensors, stages> ring(shared_words, group, cut);
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
  ring.columns_of(p.weight, 1, ring.stage(stages - 1), weights);
  if constexpr (biased) ring.columns_of(p.bias, 0, ring.stage(stages - 1), biases);
  int turn = 0;
  Piece *stage = ring.own, *free = ring.stage(stages - 1);
  const auto all = [&](float own) {
    float one[1] = {own};
    group.sums(one, slots[turn]);
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
      p.y[start(row) + edge.column] =
          from_float<T>((x_edge - mean) * rstd * edge.weight(p.weight, 1) +
                        (biased ? edge.weight(p.bias, 0) : 0.0f));
    if (group.thread == 0) {
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
  return unaligned_takes(dtype, rows, cols, Walk::threads, Walk::tensors, Walk::stages, p...);
}

template <bool Layer, bool Add, class T>
void launch_forward_unaligned(const ForwardProblem<T>& p, cudaStream_t stream) {
  if (p.rows == 0) return;
  using Walk = ForwardWalk<Layer, Add>;
  const WalkPlan plan(p.rows, p.cols, lanes_of_16<T>, Walk::threads);
  const std::size_t bytes = RowRing<T, Walk::tensors, Walk::stages>::bytes(plan.block());
  const auto kernel = forward_unaligned<Layer, Add, T>;
  if (bytes > 48 * 1024) allow_shared(kernel, bytes);
  kernel<<<plan.blocks, plan.block(), bytes, stream>>>(p, plan.threads);
}

}  // namespace warpath::norm
