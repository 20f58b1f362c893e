// Any strides: along another axis than the last a lane takes rows of its own, and blocks share the columns.
//
// What changed: the rungs before need rows without gaps. Here the strides decide who reads what. Where element i of
// neighbouring rows are neighbours in memory, 32 lanes with a row each read one piece of it, and no lane hands anything to
// another; a thread takes as many rows as 16 bytes hold. Otherwise the lanes take neighbouring elements of one row. Where there
// are too few rows for the GPU, blocks take stretches of the columns, and the last block of a group of rows joins the parts.
// Limit: the memory, where one of the two directions is without gaps. Elements with gaps on all sides cost a sector each.
#include "core/block/last_block.cuh"
#include "core/host/device.cuh"
#include "ops/reduce/norm/kinds.cuh"

namespace warpath::norm {
namespace {

constexpr int warps = 8, each = 32 * warps, in_flight = 4, chain = 64;

template <class T>
struct View {
  const T* x;
  std::int64_t row_stride, col_stride;
};

// N rows from x on: the columns first, first + step … below last. A chain of float additions is cut after 64 terms.
template <int N, class T, class K>
__device__ __forceinline__ void walk(const T* x, std::int64_t col_stride, std::int64_t first,
                                     int step, std::int64_t last, K kind, float (&total)[N]) {
  const typename K::Op op;
  for (std::int64_t c = first; c < last;) {
    const std::int64_t stop = min(last, c + std::int64_t(chain) * step);
    float part[N] = {};
    const auto join = [&](const Vector<T, N>& v) {
#pragma unroll
      for (int e = 0; e < N; ++e) part[e] = op(part[e], kind(to_float(v.at[e])));
    };
    for (; c + (in_flight - 1) * step < stop; c += in_flight * step) {
      Vector<T, N> v[in_flight];
#pragma unroll
      for (int u = 0; u < in_flight; ++u) v[u] = load<N>(x + (c + u * step) * col_stride);
#pragma unroll
      for (int u = 0; u < in_flight; ++u) join(v[u]);
    }
    for (; c < stop; c += step) join(load<N>(x + c * col_stride));
#pragma unroll
    for (int e = 0; e < N; ++e) total[e] = op(total[e], part[e]);
  }
}

// Lane l of each warp has rows (32 * blockIdx.x + l) * N and on; block y has the columns from y * cols_a_block on.
template <int N, class T, class K>
__global__ void __launch_bounds__(each)
    columns(View<T> in, T* y, std::int64_t rows, std::int64_t cols, std::int64_t cols_a_block,
            float* partials, unsigned* done, K kind) {
  __shared__ float slots[warps][32][N];
  __shared__ bool is_last;
  const typename K::Op op;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::int64_t row = (std::int64_t(blockIdx.x) * 32 + lane) * N;
  const std::int64_t first = blockIdx.y * cols_a_block, last = min(first + cols_a_block, cols);
  float total[N] = {};
  if (row < rows)
    walk<N>(in.x + row * in.row_stride, in.col_stride, first + warp, warps, last, kind, total);
#pragma unroll
  for (int e = 0; e < N; ++e) slots[warp][lane][e] = total[e];
  __syncthreads();
  if (warp == 0 && row < rows) {
#pragma unroll
    for (int e = 0; e < N; ++e) {
#pragma unroll
      for (int w = 1; w < warps; ++w) total[e] = op(total[e], slots[w][lane][e]);
      if (gridDim.y == 1)
        y[row + e] = from_float<T>(kind.finish(total[e]));
      else
        partials[blockIdx.y * rows + row + e] = total[e];
    }
  }
  if (gridDim.y == 1) return;
  __threadfence();  // 32 threads have written, the count is thread 0's
  __syncthreads();
  if (!is_last_block(&done[blockIdx.x], gridDim.y, is_last)) return;
  if (threadIdx.x == 0) atomicExch(&done[blockIdx.x], 0u);  // for the next launch
  for (int k = threadIdx.x; k < 32 * N; k += each) {
    const std::int64_t r = std::int64_t(blockIdx.x) * 32 * N + k;
    if (r >= rows) continue;
    float all = 0.0f;
#pragma unroll 8
    for (unsigned p = 0; p < gridDim.y; ++p) all = op(all, __ldcg(&partials[p * rows + r]));
    y[r] = from_float<T>(kind.finish(all));
  }
}

// Block x has a row, block y its columns from y * cols_a_block on; the lanes have neighbouring elements.
template <class T, class K>
__global__ void __launch_bounds__(each)
    stretches(View<T> in, T* y, std::int64_t cols, std::int64_t cols_a_block, float* partials,
              unsigned* done, K kind) {
  __shared__ float slots[warps];
  __shared__ bool is_last;
  const typename K::Op op;
  const std::int64_t row = blockIdx.x, first = blockIdx.y * cols_a_block;
  float mine[1] = {};
  walk<1>(in.x + row * in.row_stride, in.col_stride, first + threadIdx.x, each,
          min(first + cols_a_block, cols), kind, mine);
  float total = block_reduce<each>(mine[0], op, slots);
  if (gridDim.y > 1) {
    float* const row_partials = partials + row * gridDim.y;
    if (threadIdx.x == 0) row_partials[blockIdx.y] = total;
    if (!is_last_block(&done[row], gridDim.y, is_last)) return;
    mine[0] = 0.0f;
    for (unsigned p = threadIdx.x; p < gridDim.y; p += each)
      mine[0] = op(mine[0], __ldcg(&row_partials[p]));
    total = block_reduce<each>(mine[0], op, slots);
    if (threadIdx.x == 0) atomicExch(&done[row], 0u);  // for the next launch
  }
  if (threadIdx.x == 0) y[row] = from_float<T>(kind.finish(total));
}

struct Plan {
  bool a_lane_a_row;
  int per_lane;  // rows
  std::int64_t groups, cols_a_block, parts;
};

std::int64_t enough_blocks() {
  return std::int64_t(multiprocessors()) * 8;
}

// Enough blocks for eight per SM, but none with less than 64 columns of a group of rows, or four elements per thread of one.
Plan plan_of(const Args& args) {
  const Tensor& x = args.x;
  const std::int64_t rows = x.shape[0], cols = std::max<std::int64_t>(x.shape[1], 1);
  const int wide = 16 / int(size_of(x.dtype));
  const bool a_lane_a_row = rows >= 8 && x.stride[0] == 1 && x.stride[1] != 1;
  const bool whole = rows % wide == 0 && x.stride[1] % wide == 0 && x.is_aligned(16);
  const int n = a_lane_a_row && whole ? wide : 1;
  const std::int64_t groups = a_lane_a_row ? ceil_div(rows, 32 * n) : rows;
  const std::int64_t wanted = ceil_div(enough_blocks(), std::max<std::int64_t>(groups, 1));
  const std::int64_t least = a_lane_a_row ? 64 : in_flight * each;
  const std::int64_t share = std::max(least, ceil_div(cols, wanted));
  return {a_lane_a_row, n, groups, share, ceil_div(cols, share)};
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  const Plan plan = plan_of(args);
  auto* const done = static_cast<unsigned*>(args.scratch.data);
  auto* const partials = static_cast<float*>(args.scratch.data) + ceil_div(enough_blocks(), 4) * 4;
  const dim3 grid(grid_x(plan.groups, 1), unsigned(plan.parts));
  dispatch_norm(args, [&](auto tag, auto kind) {
    using T = typename decltype(tag)::type;
    const View<T> in{args.x.as<T>(), args.x.stride[0], args.x.stride[1]};
    T* const y = args.y.as<T>();
    if (!plan.a_lane_a_row)
      stretches<<<grid, each, 0, stream>>>(in, y, cols, plan.cols_a_block, partials, done, kind);
    else if (plan.per_lane > 1)
      columns<lanes_of_16<T>>
          <<<grid, each, 0, stream>>>(in, y, rows, cols, plan.cols_a_block, partials, done, kind);
    else
      columns<1>
          <<<grid, each, 0, stream>>>(in, y, rows, cols, plan.cols_a_block, partials, done, kind);
  });
  CUDA_CHECK(cudaGetLastError());
}

// Columns are shared only where there are fewer groups than wanted blocks, which bounds the number of counters.
std::int64_t counter_bytes(const Args& args) {
  return plan_of(args).parts > 1 ? ceil_div(enough_blocks(), 4) * 16 : 0;
}
std::int64_t scratch_bytes(const Args& args) {
  const Plan plan = plan_of(args);
  return plan.parts > 1 ? counter_bytes(args) + plan.parts * args.x.shape[0] * 4 : 0;
}

std::string with_gaps(const Args& args) {
  return in_rows(args).empty() ? "rows without gaps are for 04: no GPU has timed this one yet" : "";
}

WARPATH_RUNG(Args, launch, .preferred = with_gaps, .scratch = scratch_bytes,
             .zeroed = counter_bytes);

}  // namespace
}  // namespace warpath::norm
