// The forward pass with the group in the shared memory of a cluster: x is read once.
#pragma once
#include "ops/norm/group_cluster.cuh"

namespace warpath::norm {

template <class T, class W>
static __global__ void __launch_bounds__(most_cluster_threads, 2)
    cluster_forward(const GroupForward<T, W> p, const Segments segments) {
  constexpr int N = lanes_of_16<T>;
  extern __shared__ uint4 stage[];
  __shared__ MomentSlots slots;
  __shared__ ClusterMailbox<Moments, most_cluster_blocks> mailbox;
  const auto cluster = cooperative_groups::this_cluster();
  cluster.barrier_arrive();  // "this block has started"; waited for after the loads
  const std::int64_t group = blockIdx.x / segments.blocks;
  const int rank = int(blockIdx.x % segments.blocks), lane = threadIdx.x % 32;
  const BlockSegments<N> own(segments, p.shape, group, rank);
  fetch(stage, p.x, own);
  __pipeline_commit();
  __pipeline_wait_prior(0);

  // Two passes over shared memory: the mean of this thread's elements, then their distances from it.
  const auto for_each = [&](auto f) {
    own.for_each([&](int i) {
      const int length = own.length(i);
#pragma unroll 4
      for (int v = lane; v < length; v += 32) {
        float a[N];
        staged_floats<T>(stage[i * segments.vectors + v], a);
        f(a);
      }
    });
  };
  Moments m = no_moments();
  for_each([&](const float(&a)[N]) {
    m.count += N;
#pragma unroll
    for (int n = 0; n < N; ++n) m.mean += a[n];
  });
  if (m.count > 0.0f) m.mean /= m.count;
  for_each([&](const float(&a)[N]) {
#pragma unroll
    for (int n = 0; n < N; ++n) m.squares += (a[n] - m.mean) * (a[n] - m.mean);
  });
  m = row_join(m, slots);
  cluster.barrier_wait();
  mailbox.post(m);
  cluster.sync();

  m = no_moments();
  for (unsigned b = 0; b < segments.blocks; ++b) m = join(m, mailbox.from[b]);
  const float rstd = rsqrtf(m.squares / float(p.shape.group_size()) + p.eps);
  const std::int64_t channels = group % p.shape.groups * p.shape.channels;
  with_activation(p.activation, [&](auto activation) {
    own.for_each([&](int i) {
      const Affine affine = p.affine(m.mean, rstd, channels + own.channel(i));
      T* const y = p.y + own.place(i);
      const int length = own.length(i);
#pragma unroll 4
      for (int v = lane; v < length; v += 32) {
        float a[N];
        staged_floats<T>(stage[i * segments.vectors + v], a);
#pragma unroll
        for (int n = 0; n < N; ++n) a[n] = activation.value(affine(a[n]));
        store<N>(y + v * N, from_floats<T>(a));
      }
    });
  });
  if (rank == 0 && threadIdx.x == 0) p.keep(group, m.mean, m.squares);
}

template <class T, class W>
void launch_cluster_forward(const GroupForward<T, W>& p, cudaStream_t stream) {
  if (p.shape.all_groups() == 0) return;
  const Segments s(p.shape, lanes_of_16<T>, 16);
  const ClusterLaunch launch{s.blocks, s.threads, std::size_t(s.part_vectors()) * 16, stream};
  launch(cluster_forward<T, W>, grid_x(p.shape.all_groups(), 1), p, s);
}

}  // namespace warpath::norm
