// The backward pass with x and dy of a group in the shared memory of a cluster: both are read once.
#pragma once
#include "ops/norm/group_cluster.cuh"
#include "ops/norm/partial_sums.cuh"

namespace warpath::norm {

// Whether a channel is a whole group of the only image: then its sums are dweight and dbias.
inline bool sums_are_whole(const GroupShape& s) {
  return s.batch == 1 && s.channels == 1;
}

// partials: [batch][blocks][dz * n, dz][all channels], null where dweight and dbias are written here or not wanted.
template <class T, class W>
static __global__ void __launch_bounds__(most_cluster_threads, 2)
    cluster_backward(const GroupBackward<T, W> p, const Segments segments, float* partials) {
  constexpr int N = lanes_of_16<T>;
  extern __shared__ uint4 stage[];  // x, dy, then two sums per segment
  __shared__ ClusterMailbox<float2, most_cluster_blocks> mailbox;
  const int part = segments.per_block * segments.vectors;
  uint4 *const xs = stage, *const dys = stage + part;
  float2* const sums = reinterpret_cast<float2*>(stage + 2 * part);
  const auto cluster = cooperative_groups::this_cluster();
  cluster.barrier_arrive();  // "this block has started"; waited for after the loads
  const std::int64_t group = blockIdx.x / segments.blocks, image = group / p.shape.groups;
  const int rank = int(blockIdx.x % segments.blocks), lane = threadIdx.x % 32;
  const std::int64_t first = group % p.shape.groups * p.shape.channels;
  const BlockSegments<N> own(segments, p.shape, group, rank);
  fetch(xs, p.x, own);
  fetch(dys, p.dy, own);
  __pipeline_commit();
  __pipeline_wait_prior(0);

  const float rstd = p.rstds[group];
  with_activation(p.activation, [&](auto activation) {
    own.for_each([&](int i) {
      const Affine z = p.affine(group, first + own.channel(i));
      const int length = own.length(i);
      float2 sum = {0, 0};
#pragma unroll 2
      for (int v = lane; v < length; v += 32) {
        float a[N], d[N];
        staged_floats<T>(xs[i * segments.vectors + v], a);
        staged_floats<T>(dys[i * segments.vectors + v], d);
#pragma unroll
        for (int n = 0; n < N; ++n) {
          const float dz = activation.gradient(d[n], z(a[n]));
          sum.x += dz * (a[n] - z.mean);
          sum.y += dz;
        }
      }
      sum.x = warp_reduce(sum.x, Sum{}) * rstd;
      sum.y = warp_reduce(sum.y, Sum{});
      if (lane == 0) sums[i] = sum;
    });
  });
  __syncthreads();

  // Every warp adds up all segments of the block. The weight of a single channel comes in after the sums.
  const bool single = segments.channels == 1;
  float2 own_sums = {0, 0};
  for (int i = lane; i < own.mine; i += 32) {
    const float w = single ? 1.0f : weight_of(p.weight, first + own.channel(i));
    own_sums.x += w * sums[i].y;
    own_sums.y += w * sums[i].x;
  }
  own_sums.x = warp_reduce(own_sums.x, Sum{});
  own_sums.y = warp_reduce(own_sums.y, Sum{});
  cluster.barrier_wait();
  mailbox.post(own_sums);
  if (partials) {
    const std::int64_t all = p.shape.all_channels();
    float* const out = partials + (image * segments.blocks + rank) * 2 * all + first;
    for (int c = threadIdx.x; c < segments.channels; c += int(blockDim.x)) {
      float2 sum = {0, 0};
      for (int i = 0; i < own.mine; ++i) {
        if (own.channel(i) != c) continue;
        sum.x += sums[i].x;
        sum.y += sums[i].y;
      }
      out[c] = sum.x;
      out[all + c] = sum.y;
    }
  }
  cluster.sync();

  float2 mean = {0, 0};
  for (unsigned b = 0; b < segments.blocks; ++b) {
    mean.x += mailbox.from[b].x;
    mean.y += mailbox.from[b].y;
  }
  if (single && p.shape.batch == 1 && rank == 0 && threadIdx.x == 0) {
    if (p.dweight) p.dweight[first] = from_float<W>(mean.y);
    if (p.dbias) p.dbias[first] = from_float<W>(mean.x);
  }
  const float each = (single ? weight_of(p.weight, first) : 1.0f) / float(p.shape.group_size());
  mean.x *= each;
  mean.y *= each;
  with_activation(p.activation, [&](auto activation) {
    own.for_each([&](int i) {
      const auto dx = InputGradient::of(p.affine(group, first + own.channel(i)), rstd, mean);
      T* const to = p.dx + own.place(i);
      const int length = own.length(i);
#pragma unroll 2
      for (int v = lane; v < length; v += 32) {
        float a[N], d[N];
        staged_floats<T>(xs[i * segments.vectors + v], a);
        staged_floats<T>(dys[i * segments.vectors + v], d);
#pragma unroll
        for (int n = 0; n < N; ++n) a[n] = dx(a[n], d[n], activation);
        store<N>(to + v * N, from_floats<T>(a));
      }
    });
  });
}

template <class T, class W>
void launch_cluster_backward(const GroupBackward<T, W>& p, void* scratch, cudaStream_t stream) {
  if (p.shape.all_groups() == 0) return;
  const Segments s(p.shape, lanes_of_16<T>, 32);
  const bool parts = (p.dweight || p.dbias) && !sums_are_whole(p.shape);
  auto* const partials = parts ? static_cast<float*>(scratch) : nullptr;
  const std::size_t shared = std::size_t(s.part_vectors()) * 32 + std::size_t(s.per_block) * 8;
  const ClusterLaunch launch{s.blocks, s.threads, shared, stream};
  launch(cluster_backward<T, W>, grid_x(p.shape.all_groups(), 1), p, s, partials);
  if (parts)
    launch_add_partials(partials, unsigned(p.shape.batch) * s.blocks, 2, p.dweight, p.dbias,
                        p.shape.all_channels(), stream);
}

inline std::int64_t cluster_backward_scratch(const GroupShape& s, std::size_t element) {
  const unsigned blocks = Segments(s, int(16 / element), 32).blocks;
  return partial_bytes(s.batch * blocks, 2, s.all_channels());
}

}  // namespace warpath::norm
