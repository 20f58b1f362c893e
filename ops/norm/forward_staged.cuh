// The forward pass of rows too long for one block's registers: a cluster of blocks (Hopper) stages the row in
// its shared memory, fetched asynchronously, and reads it once. Layer: layer norm, otherwise RMS norm.
#pragma once
#include <cuda_pipeline.h>

#include <string>

#include "core/cluster/cluster.cuh"
#include "core/host/tensor.h"
#include "ops/norm/forward_row.cuh"

namespace warpath::norm {

inline constexpr int largest_cluster = 16;  // over 8 a kernel must opt in; Hopper allows 16
inline constexpr std::int64_t staged_part = 64 * 1024;  // bytes per block: three such fit on an SM

template <class T>
inline constexpr int staged_threads = sizeof(T) == 4 ? 512 : 256;

template <bool Layer, class T>
static __global__ void __launch_bounds__(staged_threads<T>, 3)
    forward_staged(const ForwardProblem<T> p, std::int64_t block_cols) {
  constexpr int N = lanes_of_16<T>, threads = staged_threads<T>;
  extern __shared__ uint4 stage[];
  __shared__ MomentSlots slots;
  __shared__ ClusterMailbox<Moments, largest_cluster> mailbox;
  const auto cluster = cooperative_groups::this_cluster();
  cluster.barrier_arrive();  // "this block has started"; waited for after the loads

  const int blocks = cluster.num_blocks();
  const std::int64_t row = blockIdx.x / blocks, first = cluster.block_rank() * block_cols;
  const std::int64_t mine = min(block_cols, p.cols - first);  // 0 or less in a block without work
  const std::int64_t start = row * p.cols + first;
  const int vectors = mine > 0 ? int(mine / N) : 0;
  for (int v = threadIdx.x; v < vectors; v += threads)
    __pipeline_memcpy_async(&stage[v], p.x + start + v * N, sizeof(uint4));
  __pipeline_commit();
  __pipeline_wait_prior(0);

  // f(elements, vector). A thread reads back only what it fetched itself: no barrier.
  const auto for_each = [&](auto f) {
#pragma unroll 4
    for (int v = threadIdx.x; v < vectors; v += threads) {
      const uint4 staged = stage[v];
      float a[N];
      to_floats(reinterpret_cast<const Vector<T, N>&>(staged), a);
      f(a, v);
    }
  };
  Moments m = no_moments();
  if constexpr (Layer) {
    for_each([&](float(&a)[N], int) {
      m.count += N;
#pragma unroll
      for (int n = 0; n < N; ++n) m.mean += a[n];
    });
    if (m.count > 0.0f) m.mean /= m.count;
  }
  for_each([&](float(&a)[N], int) {
#pragma unroll
    for (int n = 0; n < N; ++n) m.squares += (a[n] - m.mean) * (a[n] - m.mean);
  });
  if constexpr (!Layer) m.count = float(vectors);  // with means of 0, joining adds up the squares
  m = row_join(m, slots);
  cluster.barrier_wait();
  mailbox.post(m);
  cluster.sync();

  m = no_moments();
  for (int b = 0; b < blocks; ++b) m = join(m, mailbox.from[b]);
  const float rstd = rsqrtf(m.squares / float(p.cols) + p.eps);
  for_each([&](float(&a)[N], int v) {
    float w[N], b[N];
    load_floats(p.weight ? p.weight + first : nullptr, v * N, 1.0f, w);
    load_floats(p.bias ? p.bias + first : nullptr, v * N, 0.0f, b);
#pragma unroll
    for (int n = 0; n < N; ++n) a[n] = (a[n] - m.mean) * rstd * w[n] + b[n];
    store<N>(p.y + start + v * N, from_floats<T>(a));
  });
  if (cluster.block_rank() == 0) p.keep(row, m.mean, rstd);
}

// Empty, or why this way is not for the call.
inline std::string staged_takes(const Tensor& x, const Tensor& y, const Tensor& weight,
                                const Tensor& bias) {
  const std::int64_t bytes = x.shape[1] * std::int64_t(size_of(x.dtype));
  if (bytes <= staged_part || bytes > largest_cluster * staged_part)
    return "takes rows over 64 KiB, up to 1 MiB";
  if (bytes % 16 != 0 ||
      !all_aligned(16, x.as<char>(), y.as<char>(), weight.as<char>(), bias.as<char>()))
    return "takes rows that start at multiples of 16 bytes";
  return "";
}

template <bool Layer, class T>
void launch_forward_staged(const ForwardProblem<T>& p, cudaStream_t stream) {
  if (p.rows == 0) return;
  constexpr int N = lanes_of_16<T>;
  unsigned blocks = 1;
  while (blocks * staged_part < p.cols * std::int64_t(sizeof(T))) blocks *= 2;
  const std::int64_t block_cols = ceil_div(ceil_div(p.cols, blocks), N) * N;
  const auto shared = static_cast<std::size_t>(block_cols) * sizeof(T);
  const ClusterLaunch launch{blocks, staged_threads<T>, shared, stream};
  launch(forward_staged<Layer, T>, grid_x(p.rows, 1), p, block_cols);
}

}  // namespace warpath::norm
