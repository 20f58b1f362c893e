// How rows of any strides are summed: a lane takes rows of its own where rows lie side by side, and blocks share the
// columns.
//
// What is read, and how it joins the running sums, is a source's affair:
//   using Element, Op;                               the type in memory; joins two sums
//   template <int N> using Chunk;                    one column of N rows
//   Source from(row) const;                          the same, whose first row is that one
//   template <int N> Chunk<N> load(c) const;         column c of the first N rows
//   template <int N> void join(const Chunk<N>&, float (&sum)[N]) const;
//   void put(row, float sum) const;                  the result of a row
#pragma once
#include "core/block/last_block.cuh"
#include "core/host/device.cuh"
#include "core/host/launch.h"
#include "core/host/tensor.h"
#include "core/thread/vector.cuh"
#include "ops/reduce/accumulate.cuh"

namespace warpath::reduce::by_columns {

inline constexpr int warps = 8, threads = 32 * warps, in_flight = 4;
inline constexpr int blocks_an_sm = 4;  // at least: a thread may use 64 registers
inline constexpr int chain = 64;        // a longer chain of float additions loses digits

// A matrix of any strides.
template <class T>
struct View {
  const T* x;
  std::int64_t row_stride, col_stride;

  static View of(const Tensor& t) { return {t.as<T>(), t.stride[0], t.stride[1]}; }
  __device__ __forceinline__ View from(std::int64_t row) const {
    return {x + row * row_stride, row_stride, col_stride};
  }
  __device__ __forceinline__ const T* column(std::int64_t c) const { return x + c * col_stride; }
};

// The first N rows: the columns first, first + step … below last.
template <int N, class Source>
__device__ __forceinline__ void walk(const Source& source, std::int64_t first, int step,
                                     std::int64_t last, float (&total)[N]) {
  const typename Source::Op op;
  for (std::int64_t c = first; c < last;) {
    const std::int64_t stop = min(last, c + std::int64_t(chain) * step);
    float sum[N] = {};
    for (; c + (in_flight - 1) * step < stop; c += in_flight * step) {
      typename Source::template Chunk<N> in[in_flight];
#pragma unroll
      for (int u = 0; u < in_flight; ++u) in[u] = source.template load<N>(c + u * step);
#pragma unroll
      for (int u = 0; u < in_flight; ++u) source.template join<N>(in[u], sum);
    }
    for (; c < stop; c += step) source.template join<N>(source.template load<N>(c), sum);
#pragma unroll
    for (int e = 0; e < N; ++e) total[e] = op(total[e], sum[e]);
  }
}

// Lane l of each warp has rows (32 * blockIdx.x + l) * N and on; block y has the columns from y * cols_a_block on.
template <int N, class Source>
__global__ void __launch_bounds__(threads, blocks_an_sm)
    columns(Source source, std::int64_t rows, std::int64_t cols, std::int64_t cols_a_block,
            float* partials, unsigned* done) {
  __shared__ float slots[warps][32][N];
  __shared__ bool is_last;
  const typename Source::Op op;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::int64_t row = (std::int64_t(blockIdx.x) * 32 + lane) * N;
  const std::int64_t first = blockIdx.y * cols_a_block, last = min(first + cols_a_block, cols);
  float sum[N] = {};
  if (row < rows) walk<N>(source.from(row), first + warp, warps, last, sum);
#pragma unroll
  for (int e = 0; e < N; ++e) slots[warp][lane][e] = sum[e];
  __syncthreads();
  if (warp == 0 && row < rows) {
#pragma unroll
    for (int e = 0; e < N; ++e) {
#pragma unroll
      for (int w = 1; w < warps; ++w) sum[e] = op(sum[e], slots[w][lane][e]);
      if (gridDim.y == 1)
        source.put(row + e, sum[e]);
      else
        partials[blockIdx.y * rows + row + e] = sum[e];
    }
  }
  if (gridDim.y == 1) return;
  __threadfence();  // 32 threads have written, the count is thread 0's
  __syncthreads();
  if (!is_last_block(&done[blockIdx.x], gridDim.y, is_last)) return;
  if (threadIdx.x == 0) atomicExch(&done[blockIdx.x], 0u);  // for the next launch
  for (int k = threadIdx.x; k < 32 * N; k += threads) {
    const std::int64_t r = std::int64_t(blockIdx.x) * 32 * N + k;
    if (r >= rows) continue;
    float all = 0.0f;
#pragma unroll 8
    for (unsigned p = 0; p < gridDim.y; ++p) all = op(all, __ldcg(&partials[p * rows + r]));
    source.put(r, all);
  }
}

// Block x has a row, block y its columns from y * cols_a_block on; the lanes have neighbouring elements.
template <class Source>
__global__ void __launch_bounds__(threads, blocks_an_sm)
    stretches(Source source, std::int64_t cols, std::int64_t cols_a_block, float* partials,
              unsigned* done) {
  __shared__ float slots[warps];
  __shared__ bool is_last;
  const typename Source::Op op;
  const std::int64_t row = blockIdx.x, first = blockIdx.y * cols_a_block;
  float mine[1] = {};
  walk<1>(source.from(row), first + threadIdx.x, threads, min(first + cols_a_block, cols), mine);
  float sum = block_reduce<threads>(mine[0], op, slots);
  if (gridDim.y > 1) {
    float* const row_partials = partials + row * gridDim.y;
    if (threadIdx.x == 0) row_partials[blockIdx.y] = sum;
    if (!is_last_block(&done[row], gridDim.y, is_last)) return;
    mine[0] = 0.0f;
    for (unsigned p = threadIdx.x; p < gridDim.y; p += threads)
      mine[0] = op(mine[0], __ldcg(&row_partials[p]));
    sum = block_reduce<threads>(mine[0], op, slots);
    if (threadIdx.x == 0) atomicExch(&done[row], 0u);  // for the next launch
  }
  if (threadIdx.x == 0) source.put(row, sum);
}

inline std::int64_t enough_blocks() {
  return std::int64_t(multiprocessors()) * 8;
}

// How rows and columns are shared out among lanes and blocks.
struct Plan {
  bool a_lane_a_row;
  int per_lane;  // rows
  std::int64_t groups, cols_a_block, parts;

  // Columns are shared only where there are fewer groups than wanted blocks, which bounds the number of counters.
  std::int64_t counter_bytes() const { return parts > 1 ? ceil_div(enough_blocks(), 4) * 16 : 0; }
  std::int64_t scratch_bytes(std::int64_t rows) const {
    return parts > 1 ? counter_bytes() + parts * rows * 4 : 0;
  }
};

// `a_lane_a_row`: rows lie side by side, and `per_lane` of them may be loaded at once. Enough blocks for eight per SM, but
// none with less than 64 columns of a group of rows, or four elements per thread of one.
inline Plan plan_of(const Tensor& x, bool a_lane_a_row, int per_lane) {
  const std::int64_t rows = x.shape[0], cols = std::max<std::int64_t>(x.shape[1], 1);
  const std::int64_t groups = a_lane_a_row ? ceil_div(rows, 32 * per_lane) : rows;
  const std::int64_t wanted = ceil_div(enough_blocks(), std::max<std::int64_t>(groups, 1));
  const std::int64_t least = a_lane_a_row ? 64 : in_flight * threads;
  const std::int64_t share = std::max(least, ceil_div(cols, wanted));
  return {a_lane_a_row, per_lane, groups, share, ceil_div(cols, share)};
}

// Rows that lie side by side, in whole vectors of 16 bytes at each column.
inline bool in_vectors(const Tensor& x) {
  const int wide = 16 / int(size_of(x.dtype));
  return x.shape[0] % wide == 0 && x.stride[0] == 1 && x.stride[1] % wide == 0 && x.is_aligned(16);
}

template <class Source>
void launch(const Source& source, const Plan& plan, const Tensor& x, void* scratch,
            cudaStream_t stream) {
  const std::int64_t rows = x.shape[0], cols = x.shape[1];
  auto* const done = static_cast<unsigned*>(scratch);
  auto* const partials = static_cast<float*>(scratch) + ceil_div(enough_blocks(), 4) * 4;
  const dim3 grid(grid_x(plan.groups, 1), unsigned(plan.parts));
  constexpr int wide = lanes_of_16<typename Source::Element>;
  if (!plan.a_lane_a_row)
    stretches<<<grid, threads, 0, stream>>>(source, cols, plan.cols_a_block, partials, done);
  else if (plan.per_lane > 1)
    columns<wide>
        <<<grid, threads, 0, stream>>>(source, rows, cols, plan.cols_a_block, partials, done);
  else
    columns<1><<<grid, threads, 0, stream>>>(source, rows, cols, plan.cols_a_block, partials, done);
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace warpath::reduce::by_columns
