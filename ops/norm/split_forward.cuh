// The forward pass in three kernels: moments of parts, their join, the result. x is read twice, the second time in the
// opposite order: what was read last is still in L2.
#pragma once
#include "ops/norm/group_split.cuh"

namespace warpath::norm {

// Partial moments are [batch][parts][count, mean, squares][columns]: a column is a group or, in NHWC, a channel.
struct PartialMoments {
  float* at;
  int parts;
  std::int64_t columns;

  __host__ __device__ std::int64_t floats(std::int64_t batch) const {
    return batch * parts * 3 * columns;
  }
  __device__ __forceinline__ float* of(std::int64_t image, int part, std::int64_t column) const {
    return at + (image * parts + part) * 3 * columns + column;
  }
  __device__ __forceinline__ void leave(float* to, const Moments& m) const {
    to[0] = m.count;
    to[columns] = m.mean;
    to[2 * columns] = m.squares;
  }
  __device__ __forceinline__ Moments take(const float* from) const {
    return {from[0], from[columns], from[2 * columns]};
  }
};

template <class T, int N, class W>
static __global__ void __launch_bounds__(split_threads)
    run_moments(const GroupForward<T, W> p, const Runs runs, const PartialMoments partials) {
  __shared__ MomentSlots slots;
  const std::int64_t group = blockIdx.x / unsigned(runs.parts);
  const int part = int(blockIdx.x % unsigned(runs.parts));
  const T* const x = p.x + p.shape.start(group);
  const std::int64_t pitch = p.shape.pitch();
  const int last = min(runs.vectors, (part + 1) * runs.part_vectors);
  Moments all = no_moments();
  for (int first = part * runs.part_vectors + threadIdx.x; first < last;
       first += split_threads * split_items) {
    Vector<T, N> at[split_items];
#pragma unroll
    for (int i = 0; i < split_items; ++i) {
      const int v = first + i * split_threads;
      at[i] = load_kept<N>(x + runs.template place<N>(v, pitch), v < last);
    }
    // Two passes over the registers: no recurrence is as exact.
    Moments m = no_moments();
    const auto for_each = [&](auto f) {
#pragma unroll
      for (int i = 0; i < split_items; ++i) {
        if (first + i * split_threads >= last) break;
        float a[N];
        to_floats(at[i], a);
        f(a);
      }
    };
    for_each([&](const float(&a)[N]) {
      m.count += N;
#pragma unroll
      for (int n = 0; n < N; ++n) m.mean += a[n];
    });
    m.mean /= m.count;
    for_each([&](const float(&a)[N]) {
#pragma unroll
      for (int n = 0; n < N; ++n) m.squares += (a[n] - m.mean) * (a[n] - m.mean);
    });
    all = join(all, m);
  }
  all = row_join(all, slots);
  if (threadIdx.x == 0)
    partials.leave(partials.of(group / p.shape.groups, part, group % p.shape.groups), all);
}

template <class T, int N, class W>
static __global__ void __launch_bounds__(split_threads)
    column_moments(const GroupForward<T, W> p, const Columns columns,
                   const PartialMoments partials) {
  __shared__ Moments all[split_threads * N];
  const ColumnBlock<N> own(p.shape, columns, blockIdx.x);
  const std::int64_t pitch = p.shape.all_channels();
  const T* const x = p.x + own.start(p.shape);
  float count = 0, mean[N] = {}, squares[N] = {};
  const int step = blockDim.y;
  for (std::int64_t row = own.first + threadIdx.y; own.inside && row < own.last;
       row += split_items * step) {
    float a[split_items][N];
#pragma unroll
    for (int i = 0; i < split_items; ++i)
      to_floats(load_kept<N>(x + (row + i * step) * pitch, row + i * step < own.last), a[i]);
    const int rows = int(min(std::int64_t(split_items), ceil_div(own.last - row, step)));
    const float one = 1.0f / float(rows), part = float(rows) / (count + float(rows));
#pragma unroll
    for (int n = 0; n < N; ++n) {
      float sum = 0, more = 0;
#pragma unroll
      for (int i = 0; i < split_items; ++i) sum += a[i][n];  // zeros past the end
      sum *= one;
#pragma unroll
      for (int i = 0; i < split_items; ++i)
        if (i < rows) more += (a[i][n] - sum) * (a[i][n] - sum);
      const float delta = sum - mean[n];
      mean[n] += delta * part;
      squares[n] += more + delta * delta * count * part;
    }
    count += float(rows);
  }
  // The block's rows meet in shared memory.
  const int width = int(blockDim.x) * N, thread = int(threadIdx.y * blockDim.x + threadIdx.x);
#pragma unroll
  for (int n = 0; n < N; ++n)
    all[threadIdx.y * width + threadIdx.x * N + n] = {count, mean[n], squares[n]};
  __syncthreads();
  const std::int64_t first = own.column - std::int64_t(threadIdx.x) * N;
  for (int c = thread; c < width && first + c < pitch; c += int(blockDim.x * blockDim.y)) {
    Moments m = no_moments();
    for (int y = 0; y < step; ++y) m = join(m, all[y * width + c]);
    partials.leave(partials.of(own.image, own.part, first + c), m);
  }
}

// A warp per group joins its parts. span: columns per group.
template <class T, class W>
static __global__ void __launch_bounds__(split_threads)
    join_moments(const GroupForward<T, W> p, const PartialMoments partials, int span,
                 float2* found) {
  const std::int64_t group = std::int64_t(blockIdx.x) * (split_threads / 32) + threadIdx.x / 32;
  if (group >= p.shape.all_groups()) return;
  const std::int64_t image = group / p.shape.groups, column = group % p.shape.groups * span;
  Moments m = no_moments();
  for (int i = threadIdx.x % 32; i < partials.parts * span; i += 32)
    m = join(m, partials.take(partials.of(image, i / span, column + i % span)));
  m = warp_join(m);
  if (threadIdx.x % 32 == 0) found[group] = {m.mean, p.keep(group, m.mean, m.squares)};
}

// statistics(group): mean and rstd.
template <class T, int N, class W, class S>
static __global__ void __launch_bounds__(split_threads)
    apply_planes(const GroupForward<T, W> p, const Planes planes, const S statistics) {
  const PlaneBlock own(p.shape, planes, gridDim.x - 1 - blockIdx.x);
  if (!own.inside) return;
  const float2 s = statistics(own.group);
  const Affine affine = p.affine(s.x, s.y, own.channel);
  const std::int64_t start = own.plane * p.shape.inner;
  const int vectors = int(p.shape.inner / N);
  Vector<T, N> at[split_items];
#pragma unroll
  for (int i = 0; i < split_items; ++i) {
    const int v = own.first + i * int(blockDim.x);
    if (v < vectors) at[i] = load_once<N>(p.x + start + std::int64_t(v) * N);
  }
  with_activation(p.activation, [&](auto activation) {
#pragma unroll
    for (int i = 0; i < split_items; ++i) {
      const int v = own.first + i * int(blockDim.x);
      if (v >= vectors) break;
      float a[N];
      to_floats(at[i], a);
#pragma unroll
      for (int n = 0; n < N; ++n) a[n] = activation.value(affine(a[n]));
      store_once<N>(p.y + start + std::int64_t(v) * N, from_floats<T>(a));
    }
  });
}

template <class T, int N, class W, class S>
static __global__ void __launch_bounds__(split_threads)
    apply_columns(const GroupForward<T, W> p, const Columns columns, const S statistics) {
  const ColumnBlock<N> own(p.shape, columns, gridDim.x - 1 - blockIdx.x);
  if (!own.inside) return;
  Affine affine[N];
#pragma unroll
  for (int n = 0; n < N; ++n) {
    const std::int64_t group = (own.column + n) / p.shape.channels;
    const float2 s = statistics(own.image * p.shape.groups + group);
    affine[n] = p.affine(s.x, s.y, own.column + n);
  }
  const std::int64_t pitch = p.shape.all_channels(), start = own.start(p.shape);
  const int step = blockDim.y;
  with_activation(p.activation, [&](auto activation) {
    for (std::int64_t row = own.first + threadIdx.y; row < own.last; row += split_items * step) {
      Vector<T, N> at
          [split_items];  // all loads before the first store, which might change x for all the compiler knows
#pragma unroll
      for (int i = 0; i < split_items; ++i)
        if (row + i * step < own.last) at[i] = load_once<N>(p.x + start + (row + i * step) * pitch);
#pragma unroll
      for (int i = 0; i < split_items; ++i) {
        if (row + i * step >= own.last) break;
        float a[N];
        to_floats(at[i], a);
#pragma unroll
        for (int n = 0; n < N; ++n) a[n] = activation.value(affine[n](a[n]));
        store_once<N>(p.y + start + (row + i * step) * pitch, from_floats<T>(a));
      }
    }
  });
}

struct FoundStatistics {
  const float2* at;
  __device__ __forceinline__ float2 operator()(std::int64_t group) const { return at[group]; }
};

template <class T, int N, class W, class S>
void launch_apply(const GroupForward<T, W>& p, const S& statistics, cudaStream_t stream) {
  if (p.shape.size() == 0) return;
  if (has_columns(p.shape)) {
    const Columns columns(p.shape, N);
    apply_columns<T, N, W>
        <<<columns.blocks(p.shape), columns.block, 0, stream>>>(p, columns, statistics);
  } else {
    const Planes planes(p.shape, N);
    apply_planes<T, N, W><<<planes.blocks, planes.block, 0, stream>>>(p, planes, statistics);
  }
}

template <class T, class W>
void launch_split_forward(const GroupForward<T, W>& p, void* scratch, cudaStream_t stream) {
  const GroupShape& s = p.shape;
  if (s.all_groups() == 0) return;
  const auto with = [&](auto width) {
    constexpr int N = decltype(width)::value;
    auto* const found = static_cast<float2*>(scratch);
    PartialMoments partials{reinterpret_cast<float*>(found + s.all_groups()), 1, s.groups};
    int span = 1;
    if (has_columns(s)) {
      const Columns columns(s, N);
      partials.parts = columns.parts;
      partials.columns = s.all_channels();
      span = int(s.channels);
      column_moments<T, N, W>
          <<<columns.blocks(s), columns.block, 0, stream>>>(p, columns, partials);
    } else {
      const Runs runs(s, N);
      partials.parts = runs.parts;
      run_moments<T, N, W>
          <<<grid_x(s.all_groups() * runs.parts, 1), split_threads, 0, stream>>>(p, runs, partials);
    }
    join_moments<T, W><<<grid_x(s.all_groups(), split_threads / 32), split_threads, 0, stream>>>(
        p, partials, span, found);
    launch_apply<T, N>(p, FoundStatistics{found}, stream);
  };
  with_group_width<T>(s, with, p.x, p.y);
}

// Enough for either width, because where the tensors lie is not known yet.
inline std::int64_t split_forward_scratch(const GroupShape& s, int N) {
  const auto floats = [&](int width) {
    PartialMoments partials{nullptr, 1, s.groups};
    if (has_columns(s)) {
      partials.parts = Columns(s, width).parts;
      partials.columns = s.all_channels();
    } else {
      partials.parts = Runs(s, width).parts;
    }
    return partials.floats(s.batch);
  };
  const std::int64_t each = std::max(floats(1), floats(N));
  return std::int64_t(sizeof(float2)) * s.all_groups() + std::int64_t(sizeof(float)) * each;
}

}  // namespace warpath::norm
