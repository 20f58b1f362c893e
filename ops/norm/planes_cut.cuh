// Planes that start anywhere, in kernels over all elements (NCHW): as split_forward.cuh and split_backward.cuh, 16 bytes per load.
//
// Planes of 27 x 27 elements are no whole number of vectors, and the kernels of the split rungs then take one element per load. Here
// a plane has some threads of its own, a warp or more, and is cut at the 16-byte boundaries (group_registers.cuh). Each plane leaves
// its own moments or sums: as many parts per channel as there are images in its mean.
#pragma once
#include "ops/norm/group_registers.cuh"
#include "ops/norm/split_backward.cuh"
#include "ops/norm/split_forward.cuh"

namespace warpath::norm {

// Planes are numbered as they lie in memory: [image][outer][channel].
struct PlaneIndex {
  std::int64_t start, group;
  int image_row, channel;  // of all images and their outer runs; of all channels

  __device__ __forceinline__ PlaneIndex(const GroupShape& s, int plane, Divisor by_channels,
                                        Divisor by_outer, Divisor by_group) {
    image_row = by_channels.quotient(plane);
    channel = plane - image_row * int(s.all_channels());
    start = plane * s.inner;
    group = by_outer.quotient(image_row) * s.groups + by_group.quotient(channel);
  }
};

// What kernels over planes need beside the problem: the divisors that find a plane.
struct PlaneGrid {
  Divisor by_channels, by_outer, by_group;
  int planes;
  dim3 block;

  PlaneGrid(const GroupShape& s, int lanes)
      : by_channels(Divisor::of(std::max(int(s.all_channels()), 1))),
        by_outer(Divisor::of(std::max(int(s.outer), 1))),
        by_group(Divisor::of(std::max(int(s.channels), 1))),
        planes(int(s.batch * s.outer * s.all_channels())),
        block(group_block(s.inner, lanes)) {}
  unsigned blocks() const { return grid_x(planes, block.y); }

  __device__ __forceinline__ int plane(bool backwards) const {
    const unsigned at = backwards ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
    return int(at * blockDim.y + threadIdx.y);
  }
  __device__ __forceinline__ PlaneIndex find(const GroupShape& s, int plane) const {
    return PlaneIndex(s, plane, by_channels, by_outer, by_group);
  }
};

template <class T, class W>
static __global__ void __launch_bounds__(most_threads)
    plane_moments(const GroupForward<T, W> p, const PlaneGrid grid, const PartialMoments partials) {
  __shared__ RowSlots slots[2];
  const int plane = grid.plane(false);
  if (plane >= grid.planes) return;  // a plane of one warp: no barrier is left out
  const PlaneIndex own = grid.find(p.shape, plane);
  const int size = int(p.shape.inner);
  const Cut<lanes_of_16<T>> cut(p.x + own.start, size);
  GroupPart<T> part;
  part.load(p.x + own.start, cut);
  float sum = 0, squares = 0;
  for_each(part, cut, [&]<int M>(const float(&a)[M], int) {
#pragma unroll
    for (int n = 0; n < M; ++n) sum += a[n];
  });
  const float mean = row_sum(sum, slots[0]) / float(size);
  for_each(part, cut, [&]<int M>(const float(&a)[M], int) {
#pragma unroll
    for (int n = 0; n < M; ++n) squares += (a[n] - mean) * (a[n] - mean);
  });
  squares = row_sum(squares, slots[1]);
  if (threadIdx.x == 0)
    partials.leave(partials.at + 3 * partials.columns * own.image_row + own.channel,
                   {float(size), mean, squares});
}

// From the last plane to the first: what was read last is still in L2.
template <class T, class W>
static __global__ void __launch_bounds__(most_threads)
    apply_cut(const GroupForward<T, W> p, const PlaneGrid grid, const float2* found) {
  const int plane = grid.plane(true);
  if (plane >= grid.planes) return;
  const PlaneIndex own = grid.find(p.shape, plane);
  const Cut<lanes_of_16<T>> cut(p.x + own.start, p.shape.inner);
  GroupPart<T> part;
  part.load(p.x + own.start, cut);
  const float2 statistics = found[own.group];
  const Affine affine = p.affine(statistics.x, statistics.y, own.channel);
  with_activation(p.activation, [&](auto activation) {
    for_each(part, cut, [&]<int M>(float(&a)[M], int column) {
#pragma unroll
      for (int n = 0; n < M; ++n) a[n] = activation.value(affine(a[n]));
      store_floats(p.y + own.start + column, a);
    });
  });
}

template <class T, class W>
void launch_cut_forward(const GroupForward<T, W>& p, void* scratch, cudaStream_t stream) {
  const GroupShape& s = p.shape;
  if (s.all_groups() == 0) return;
  const PlaneGrid grid(s, lanes_of_16<T>);
  auto* const found = static_cast<float2*>(scratch);
  const PartialMoments partials{reinterpret_cast<float*>(found + s.all_groups()), int(s.outer),
                                s.all_channels()};
  if (s.size() > 0)
    plane_moments<T, W><<<grid.blocks(), grid.block, 0, stream>>>(p, grid, partials);
  join_moments<T, W><<<grid_x(s.all_groups(), split_threads / 32), split_threads, 0, stream>>>(
      p, partials, int(s.channels), found);
  if (s.size() > 0) apply_cut<T, W><<<grid.blocks(), grid.block, 0, stream>>>(p, grid, found);
}

inline std::int64_t cut_forward_scratch(const GroupShape& s) {
  return std::int64_t(sizeof(float2)) * s.all_groups() +
         std::int64_t(sizeof(float)) * 3 * s.batch * s.outer * s.all_channels();
}

// Sums are [image and outer run][dz * n, dz][all channels].
template <class T, class W>
static __global__ void __launch_bounds__(most_threads / 2)
    plane_sums(const GroupBackward<T, W> p, const PlaneGrid grid, float* partials) {
  __shared__ RowSlots slots[2];
  const int plane = grid.plane(false);
  if (plane >= grid.planes) return;
  const PlaneIndex own = grid.find(p.shape, plane);
  const Cut<lanes_of_16<T>> cut(p.x + own.start, p.shape.inner);
  GroupPart<T> x, dy;
  x.load(p.x + own.start, cut);
  dy.load(p.dy + own.start, cut);
  const Affine z = p.affine(own.group, own.channel);
  float sums[2] = {0, 0};
  with_activation(p.activation, [&](auto activation) {
    for_each(x, dy, cut, [&]<int M>(const float(&a)[M], const float(&d)[M], int) {
#pragma unroll
      for (int n = 0; n < M; ++n) {
        const float dz = activation.gradient(d[n], z(a[n]));
        sums[0] += dz * (a[n] - z.mean);
        sums[1] += dz;
      }
    });
  });
  row_sums(sums, slots);
  if (threadIdx.x == 0) {
    const std::int64_t channels = p.shape.all_channels();
    float* const to = partials + 2 * channels * own.image_row + own.channel;
    to[0] = sums[0] * p.rstds[own.group];
    to[channels] = sums[1];
  }
}

template <class T, class W>
static __global__ void __launch_bounds__(most_threads / 2)
    dx_cut(const GroupBackward<T, W> p, const PlaneGrid grid, const float2* found) {
  const int plane = grid.plane(true);
  if (plane >= grid.planes) return;
  const PlaneIndex own = grid.find(p.shape, plane);
  const Cut<lanes_of_16<T>> cut(p.x + own.start, p.shape.inner);
  GroupPart<T> x, dy;
  x.load(p.x + own.start, cut);
  dy.load(p.dy + own.start, cut);
  const auto dx =
      InputGradient::of(p.affine(own.group, own.channel), p.rstds[own.group], found[own.group]);
  with_activation(p.activation, [&](auto activation) {
    for_each(x, dy, cut, [&]<int M>(float(&a)[M], const float(&d)[M], int column) {
#pragma unroll
      for (int n = 0; n < M; ++n) a[n] = dx(a[n], d[n], activation);
      store_floats(p.dx + own.start + column, a);
    });
  });
}

template <class T, class W>
void launch_cut_backward(const GroupBackward<T, W>& p, void* scratch, cudaStream_t stream) {
  const GroupShape& s = p.shape;
  if (s.all_channels() == 0) return;
  const PlaneGrid grid(s, lanes_of_16<T>);
  auto* const found = static_cast<float2*>(scratch);
  auto* const partials = reinterpret_cast<float*>(found + s.all_groups());
  if (s.size() > 0) {
    plane_sums<T, W><<<grid.blocks(), grid.block, 0, stream>>>(p, grid, partials);
    group_sums<T, W><<<grid_x(s.all_groups(), split_threads / 32), split_threads, 0, stream>>>(
        p, partials, int(s.outer), found);
    dx_cut<T, W><<<grid.blocks(), grid.block, 0, stream>>>(p, grid, found);
  }
  launch_add_partials(partials, s.size() > 0 ? unsigned(s.batch * s.outer) : 0u, 2, p.dweight,
                      p.dbias, s.all_channels(), stream);
}

inline std::int64_t cut_backward_scratch(const GroupShape& s) {
  return std::int64_t(sizeof(float2)) * s.all_groups() +
         partial_bytes(s.batch * s.outer, 2, s.all_channels());
}

// Empty, or why planes of a call cannot be cut. `most`: threads per plane.
template <class... P>
std::string cut_takes(const GroupShape& s, std::size_t element, int most, const P*... p) {
  if (s.inner < 16) return "takes planes of at least 16 elements";
  if (s.inner * std::int64_t(element) > std::int64_t(most) * group_vectors * 16)
    return "takes planes of at most " + std::to_string(most * group_vectors / 64) + " KiB";
  if (s.batch * s.outer * s.all_channels() > most_runs)
    return "takes at most " + std::to_string(most_runs) + " planes";
  return cut_alike(p...) ? "" : "wants tensors at the same distance from a 16-byte boundary";
}

// Empty, or what to choose instead.
inline std::string cut_timed(DType dtype) {
  return size_of(dtype) == 2 ? "" : "no GPU has timed it in f32 yet: a lower rung";
}

}  // namespace warpath::norm
