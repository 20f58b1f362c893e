// Any strides: along another axis than the last a lane takes rows of its own, and blocks share the columns.
//
// What changed: the rungs before need rows without gaps. Here the strides decide who reads what. Where element i of
// neighbouring rows are neighbours in memory, 32 lanes with a row each read one piece of it, and no lane hands anything to
// another; a thread takes as many rows as 16 bytes hold. Otherwise the lanes take neighbouring elements of one row. Where there
// are too few rows for the GPU, blocks take stretches of the columns, and the last block of a group of rows adds up.
// A chain of float additions is cut after 64 terms, because a long one loses digits.
// Limit: the memory, where one of the two directions is without gaps. Elements with gaps on all sides cost a sector each.
#include "core/block/last_block.cuh"
#include "core/host/device.cuh"
#include "core/thread/vector.cuh"
#include "ops/reduce/dot/pairs.cuh"

namespace warpath::dot {
namespace {

constexpr int warps = 8, threads = 32 * warps, in_flight = 4, chain = 64;

template <class T>
struct View {
  const T* x;
  std::int64_t row_stride, col_stride;

  static View of(const Tensor& t) { return {t.as<T>(), t.stride[0], t.stride[1]}; }
  __device__ __forceinline__ View row(std::int64_t r) const {
    return {x + r * row_stride, row_stride, col_stride};
  }
};

// N rows, of which x and y have the first: the products of the columns first, first + step … below last.
template <int N, class T>
__device__ __forceinline__ void walk(View<T> x, View<T> y, std::int64_t first, int step,
                                     std::int64_t last, float (&total)[N]) {
  for (std::int64_t c = first; c < last;) {
    const std::int64_t stop = min(last, c + std::int64_t(chain) * step);
    float sum[N] = {};
    const auto join = [&](const Vector<T, N>& a, const Vector<T, N>& b) {
#pragma unroll
      for (int e = 0; e < N; ++e) sum[e] = fmaf(to_float(a.at[e]), to_float(b.at[e]), sum[e]);
    };
    for (; c + (in_flight - 1) * step < stop; c += in_flight * step) {
      Vector<T, N> a[in_flight], b[in_flight];
#pragma unroll
      for (int u = 0; u < in_flight; ++u) {
        a[u] = load<N>(x.x + (c + u * step) * x.col_stride);
        b[u] = load<N>(y.x + (c + u * step) * y.col_stride);
      }
#pragma unroll
      for (int u = 0; u < in_flight; ++u) join(a[u], b[u]);
    }
    for (; c < stop; c += step)
      join(load<N>(x.x + c * x.col_stride), load<N>(y.x + c * y.col_stride));
#pragma unroll
    for (int e = 0; e < N; ++e) total[e] += sum[e];
  }
}

// Lane l of each warp has rows (32 * blockIdx.x + l) * N and on; block y has the columns from y * cols_a_block on.
template <int N, class T>
__global__ void __launch_bounds__(threads)
    columns(View<T> x, View<T> y, T* z, std::int64_t rows, std::int64_t cols,
            std::int64_t cols_a_block, float* partials, unsigned* done) {
  __shared__ float slots[warps][32][N];
  __shared__ bool is_last;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::int64_t row = (std::int64_t(blockIdx.x) * 32 + lane) * N;
  const std::int64_t first = blockIdx.y * cols_a_block, last = min(first + cols_a_block, cols);
  float sum[N] = {};
  if (row < rows) walk<N>(x.row(row), y.row(row), first + warp, warps, last, sum);
#pragma unroll
  for (int e = 0; e < N; ++e) slots[warp][lane][e] = sum[e];
  __syncthreads();
  if (warp == 0 && row < rows) {
#pragma unroll
    for (int e = 0; e < N; ++e) {
#pragma unroll
      for (int w = 1; w < warps; ++w) sum[e] += slots[w][lane][e];
      if (gridDim.y == 1)
        reduce::put(&z[row + e], sum[e]);
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
    for (unsigned p = 0; p < gridDim.y; ++p) all += __ldcg(&partials[p * rows + r]);
    reduce::put(&z[r], all);
  }
}

// Block x has a row, block y its columns from y * cols_a_block on; the lanes have neighbouring elements.
template <class T>
__global__ void __launch_bounds__(threads)
    stretches(View<T> x, View<T> y, T* z, std::int64_t cols, std::int64_t cols_a_block,
              float* partials, unsigned* done) {
  __shared__ float slots[warps];
  __shared__ bool is_last;
  const std::int64_t row = blockIdx.x, first = blockIdx.y * cols_a_block;
  float mine[1] = {};
  walk<1>(x.row(row), y.row(row), first + threadIdx.x, threads, min(first + cols_a_block, cols),
          mine);
  float sum = block_reduce<threads>(mine[0], Sum{}, slots);
  if (gridDim.y > 1) {
    float* const row_partials = partials + row * gridDim.y;
    if (threadIdx.x == 0) row_partials[blockIdx.y] = sum;
    if (!is_last_block(&done[row], gridDim.y, is_last)) return;
    mine[0] = 0.0f;
    for (unsigned p = threadIdx.x; p < gridDim.y; p += threads) mine[0] += __ldcg(&row_partials[p]);
    sum = block_reduce<threads>(mine[0], Sum{}, slots);
    if (threadIdx.x == 0) atomicExch(&done[row], 0u);  // for the next launch
  }
  if (threadIdx.x == 0) reduce::put(&z[row], sum);
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
  const Tensor &x = args.x, &y = args.y;
  const std::int64_t rows = x.shape[0], cols = std::max<std::int64_t>(x.shape[1], 1);
  const int wide = 16 / int(size_of(x.dtype));
  const auto whole = [&](const Tensor& t) {
    return t.stride[0] == 1 && t.stride[1] % wide == 0 && t.is_aligned(16);
  };
  const bool a_lane_a_row = rows >= 8 && (x.stride[0] == 1) + (y.stride[0] == 1) >
                                             (x.stride[1] == 1) + (y.stride[1] == 1);
  const int n = a_lane_a_row && rows % wide == 0 && whole(x) && whole(y) ? wide : 1;
  const std::int64_t groups = a_lane_a_row ? ceil_div(rows, 32 * n) : rows;
  const std::int64_t wanted = ceil_div(enough_blocks(), std::max<std::int64_t>(groups, 1));
  const std::int64_t least = a_lane_a_row ? 64 : in_flight * threads;
  const std::int64_t each = std::max(least, ceil_div(cols, wanted));
  return {a_lane_a_row, n, groups, each, ceil_div(cols, each)};
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  const Plan plan = plan_of(args);
  auto* const done = static_cast<unsigned*>(args.scratch.data);
  auto* const partials = static_cast<float*>(args.scratch.data) + ceil_div(enough_blocks(), 4) * 4;
  const dim3 grid(grid_x(plan.groups, 1), unsigned(plan.parts));
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto x = View<T>::of(args.x), y = View<T>::of(args.y);
    T* const z = args.z.as<T>();
    if (!plan.a_lane_a_row)
      stretches<<<grid, threads, 0, stream>>>(x, y, z, cols, plan.cols_a_block, partials, done);
    else if (plan.per_lane > 1)
      columns<lanes_of_16<T>>
          <<<grid, threads, 0, stream>>>(x, y, z, rows, cols, plan.cols_a_block, partials, done);
    else
      columns<1>
          <<<grid, threads, 0, stream>>>(x, y, z, rows, cols, plan.cols_a_block, partials, done);
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
  return in_rows(args).empty() ? "rows without gaps are for 05: no GPU has timed this one yet" : "";
}

WARPATH_RUNG(Args, launch, .preferred = with_gaps, .scratch = scratch_bytes,
             .zeroed = counter_bytes);

}  // namespace
}  // namespace warpath::dot
