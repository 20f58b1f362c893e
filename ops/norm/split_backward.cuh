// The backward pass in kernels over all elements: two sums per channel and image, in parts; from them the two sums of each
// group, dweight and dbias; then dx. x and dy are read twice, the second time in the opposite order.
#pragma once
#include "ops/norm/group_split.cuh"
#include "ops/norm/partial_sums.cuh"

namespace warpath::norm {

// Sums are [batch * parts][dz * n, dz][all channels]: what launch_add_partials takes.
template <class T, int N, class W>
static __global__ void __launch_bounds__(split_threads)
    run_sums(const GroupBackward<T, W> p, const Runs runs, float* partials) {
  __shared__ RowSlots slots[2];
  const GroupShape s = p.shape.by_channel();
  const std::int64_t index = blockIdx.x / unsigned(runs.parts);
  const std::int64_t image = index / s.groups, channel = index % s.groups;
  const std::int64_t group = image * p.shape.groups + channel / p.shape.channels;
  const int part = int(blockIdx.x % unsigned(runs.parts));
  const std::int64_t start = s.start(index), pitch = s.pitch();
  const int last = min(runs.vectors, (part + 1) * runs.part_vectors);
  const Affine z = p.affine(group, channel);
  float sums[2] = {0, 0};
  with_activation(p.activation, [&](auto activation) {
#pragma unroll 2
    for (int v = part * runs.part_vectors + threadIdx.x; v < last; v += split_threads) {
      const std::int64_t at = start + runs.template place<N>(v, pitch);
      float a[N], d[N];
      to_floats(load_kept<N>(p.x + at), a);
      to_floats(load_kept<N>(p.dy + at), d);
#pragma unroll
      for (int n = 0; n < N; ++n) {
        const float dz = activation.gradient(d[n], z(a[n]));
        sums[0] += dz * (a[n] - z.mean);
        sums[1] += dz;
      }
    }
  });
  row_sums(sums, slots);
  if (threadIdx.x == 0) {
    float* const out = partials + (image * runs.parts + part) * 2 * s.groups + channel;
    out[0] = sums[0] * p.rstds[group];
    out[s.groups] = sums[1];
  }
}

template <class T, int N, class W>
static __global__ void __launch_bounds__(split_threads)
    column_sums(const GroupBackward<T, W> p, const Columns columns, float* partials) {
  __shared__ float2 all[split_threads * N];
  const ColumnBlock<N> own(p.shape, columns, blockIdx.x);
  const std::int64_t pitch = p.shape.all_channels(), start = own.start(p.shape);
  float2 sums[N] = {};
  if (own.inside) {
    Affine z[N];
#pragma unroll
    for (int n = 0; n < N; ++n)
      z[n] = p.affine(own.image * p.shape.groups + (own.column + n) / p.shape.channels,
                      own.column + n);
    with_activation(p.activation, [&](auto activation) {
#pragma unroll 2
      for (std::int64_t row = own.first + threadIdx.y; row < own.last; row += blockDim.y) {
        float a[N], d[N];
        to_floats(load_kept<N>(p.x + start + row * pitch), a);
        to_floats(load_kept<N>(p.dy + start + row * pitch), d);
#pragma unroll
        for (int n = 0; n < N; ++n) {
          const float dz = activation.gradient(d[n], z[n](a[n]));
          sums[n].x += dz * (a[n] - z[n].mean);
          sums[n].y += dz;
        }
      }
    });
  }
  const int width = int(blockDim.x) * N, thread = int(threadIdx.y * blockDim.x + threadIdx.x);
#pragma unroll
  for (int n = 0; n < N; ++n) all[threadIdx.y * width + threadIdx.x * N + n] = sums[n];
  __syncthreads();
  const std::int64_t first = own.column - std::int64_t(threadIdx.x) * N;
  float* const out = partials + (own.image * columns.parts + own.part) * 2 * pitch;
  for (int c = thread; c < width && first + c < pitch; c += int(blockDim.x * blockDim.y)) {
    float2 sum = {0, 0};
    for (int y = 0; y < int(blockDim.y); ++y) {
      sum.x += all[y * width + c].x;
      sum.y += all[y * width + c].y;
    }
    const std::int64_t group = own.image * p.shape.groups + (first + c) / p.shape.channels;
    out[first + c] = sum.x * p.rstds[group];
    out[pitch + first + c] = sum.y;
  }
}

// A warp per group: the means of dz * weight and of dz * weight * n.
template <class T, class W>
static __global__ void __launch_bounds__(split_threads)
    group_sums(const GroupBackward<T, W> p, const float* partials, int parts, float2* found) {
  const GroupShape& s = p.shape;
  const std::int64_t group = std::int64_t(blockIdx.x) * (split_threads / 32) + threadIdx.x / 32;
  if (group >= s.all_groups()) return;
  const std::int64_t image = group / s.groups, first = group % s.groups * s.channels;
  const std::int64_t all = s.all_channels();
  float sum = 0, dot = 0;
  for (std::int64_t i = threadIdx.x % 32; i < parts * s.channels; i += 32) {
    const std::int64_t channel = first + i % s.channels;
    const float* const from = partials + (image * parts + i / s.channels) * 2 * all + channel;
    const float w = weight_of(p.weight, channel);
    dot += w * from[0];
    sum += w * from[all];
  }
  const float n = float(s.group_size());
  sum = warp_reduce(sum, Sum{}) / n;
  dot = warp_reduce(dot, Sum{}) / n;
  if (threadIdx.x % 32 == 0) found[group] = {sum, dot};
}

template <class T, int N, class W>
static __global__ void __launch_bounds__(split_threads)
    dx_planes(const GroupBackward<T, W> p, const Planes planes, const float2* found) {
  const PlaneBlock own(p.shape, planes, gridDim.x - 1 - blockIdx.x);
  if (!own.inside) return;
  const auto dx =
      InputGradient::of(p.affine(own.group, own.channel), p.rstds[own.group], found[own.group]);
  const std::int64_t start = own.plane * p.shape.inner;
  const int vectors = int(p.shape.inner / N);
  Vector<T, N> xs[split_items], dys[split_items];  // all loads before the first store
#pragma unroll
  for (int i = 0; i < split_items; ++i) {
    const int v = own.first + i * int(blockDim.x);
    if (v >= vectors) break;
    xs[i] = load_once<N>(p.x + start + std::int64_t(v) * N);
    dys[i] = load_once<N>(p.dy + start + std::int64_t(v) * N);
  }
  with_activation(p.activation, [&](auto activation) {
#pragma unroll
    for (int i = 0; i < split_items; ++i) {
      const int v = own.first + i * int(blockDim.x);
      if (v >= vectors) break;
      float a[N], d[N];
      to_floats(xs[i], a);
      to_floats(dys[i], d);
#pragma unroll
      for (int n = 0; n < N; ++n) a[n] = dx(a[n], d[n], activation);
      store_once<N>(p.dx + start + std::int64_t(v) * N, from_floats<T>(a));
    }
  });
}

template <class T, int N, class W>
static __global__ void __launch_bounds__(split_threads)
    dx_columns(const GroupBackward<T, W> p, const Columns columns, const float2* found) {
  const ColumnBlock<N> own(p.shape, columns, gridDim.x - 1 - blockIdx.x);
  if (!own.inside) return;
  InputGradient dx[N];
#pragma unroll
  for (int n = 0; n < N; ++n) {
    const std::int64_t group = own.image * p.shape.groups + (own.column + n) / p.shape.channels;
    dx[n] = InputGradient::of(p.affine(group, own.column + n), p.rstds[group], found[group]);
  }
  const std::int64_t pitch = p.shape.all_channels(), start = own.start(p.shape);
  constexpr int rows = 2;  // in flight: two tensors, and five numbers per channel in registers
  const int step = blockDim.y;
  with_activation(p.activation, [&](auto activation) {
    for (std::int64_t row = own.first + threadIdx.y; row < own.last; row += rows * step) {
      Vector<T, N> xs[rows], dys[rows];  // all loads before the first store
#pragma unroll
      for (int i = 0; i < rows; ++i) {
        if (row + i * step >= own.last) break;
        xs[i] = load_once<N>(p.x + start + (row + i * step) * pitch);
        dys[i] = load_once<N>(p.dy + start + (row + i * step) * pitch);
      }
#pragma unroll
      for (int i = 0; i < rows; ++i) {
        if (row + i * step >= own.last) break;
        float a[N], d[N];
        to_floats(xs[i], a);
        to_floats(dys[i], d);
#pragma unroll
        for (int n = 0; n < N; ++n) a[n] = dx[n](a[n], d[n], activation);
        store_once<N>(p.dx + start + (row + i * step) * pitch, from_floats<T>(a));
      }
    }
  });
}

template <class T, class W>
void launch_split_backward(const GroupBackward<T, W>& p, void* scratch, cudaStream_t stream) {
  const GroupShape& s = p.shape;
  if (s.all_channels() == 0) return;
  const auto with = [&](auto width) {
    constexpr int N = decltype(width)::value;
    auto* const found = static_cast<float2*>(scratch);
    auto* const partials = reinterpret_cast<float*>(found + s.all_groups());
    unsigned parts = 0;  // without elements dweight and dbias are 0
    if (s.size() > 0) {
      const Columns columns(s, N);
      const Runs runs(s.by_channel(), N);
      parts = has_columns(s) ? columns.parts : runs.parts;
      if (has_columns(s))
        column_sums<T, N, W><<<columns.blocks(s), columns.block, 0, stream>>>(p, columns, partials);
      else
        run_sums<T, N, W>
            <<<grid_x(s.batch * s.all_channels() * runs.parts, 1), split_threads, 0, stream>>>(
                p, runs, partials);
      group_sums<T, W><<<grid_x(s.all_groups(), split_threads / 32), split_threads, 0, stream>>>(
          p, partials, int(parts), found);
      if (has_columns(s)) {
        dx_columns<T, N, W><<<columns.blocks(s), columns.block, 0, stream>>>(p, columns, found);
      } else {
        const Planes planes(s, N);
        dx_planes<T, N, W><<<planes.blocks, planes.block, 0, stream>>>(p, planes, found);
      }
    }
    launch_add_partials(partials, unsigned(s.batch) * parts, 2, p.dweight, p.dbias,
                        s.all_channels(), stream);
  };
  with_group_width<T>(s, with, p.x, p.dy, p.dx);
}

inline std::int64_t split_backward_scratch(const GroupShape& s, int N) {
  const auto parts = [&](int width) {
    return has_columns(s) ? Columns(s, width).parts : Runs(s.by_channel(), width).parts;
  };
  return std::int64_t(sizeof(float2)) * s.all_groups() +
         partial_bytes(s.batch * std::max(parts(1), parts(N)), 2, s.all_channels());
}

}  // namespace warpath::norm
