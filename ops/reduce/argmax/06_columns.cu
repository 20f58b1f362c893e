// Along another axis than the last: a thread per row where rows lie side by side, and blocks that share the columns.
//
// What changed: where element i of neighbouring rows are neighbours in memory, 32 lanes with a row each read one piece of
// it: no lane needs to hand anything to another lane. A thread takes as many rows as 16 bytes hold. Where there are too few
// rows for the GPU, the walk is cut: blocks take stretches of the columns, warps of a block take every eighth of them, and
// the last block of a group of rows picks the best.
// Limit: the memory. Only for tensors whose rows are side by side; for the others 05 is the rung.
#include "core/block/last_block.cuh"
#include "ops/reduce/argmax/vectors.cuh"

namespace warpath::argmax {
namespace {

constexpr int warps = 8, in_flight = 4;

// Rows `row` to row + N of columns first, first + step … below last.
template <int N, class T>
__device__ __forceinline__ void walk(View<T> in, std::int64_t row, std::int64_t first, int step,
                                     std::int64_t last, Best<reduce::Accumulator<T>> (&best)[N]) {
  const auto join = [&](const Vector<T, N>& v, std::int64_t c) {
#pragma unroll
    for (int e = 0; e < N; ++e) {
      const auto value = flipped(reduce::widen(v.at[e]), in.flip);
      if (wins(value, best[e].value)) best[e] = {value, c};
    }
  };
  const T* const x = in.x + row;
  std::int64_t c = first;
  for (; c + (in_flight - 1) * step < last; c += in_flight * step) {
    Vector<T, N> v[in_flight];
#pragma unroll
    for (int u = 0; u < in_flight; ++u) v[u] = load_once<N>(x + (c + u * step) * in.col_stride);
#pragma unroll
    for (int u = 0; u < in_flight; ++u) join(v[u], c + u * step);
  }
  for (; c < last; c += step) join(load_once<N>(x + c * in.col_stride), c);
}

// Lane l of each warp has rows (32 * blockIdx.x + l) * N and on; block y has the columns from y * cols_a_block on.
template <int N, class T>
__global__ void __launch_bounds__(32 * warps)
    columns(View<T> in, std::int64_t* y, std::int64_t rows, std::int64_t cols,
            std::int64_t cols_a_block, Best<reduce::Accumulator<T>>* partials, unsigned* done) {
  using B = Best<reduce::Accumulator<T>>;
  __shared__ B slots[warps][32][N];
  __shared__ bool is_last;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::int64_t row = (std::int64_t(blockIdx.x) * 32 + lane) * N;
  const std::int64_t first = blockIdx.y * cols_a_block, last = min(first + cols_a_block, cols);
  B best[N];
#pragma unroll
  for (int e = 0; e < N; ++e) {
    best[e] = nothing<reduce::Accumulator<T>>();
    if (first + warp < last) best[e].at = first + warp;  // where all are the least value
  }
  if (row < rows) walk<N>(in, row, first + warp, warps, last, best);
#pragma unroll
  for (int e = 0; e < N; ++e) slots[warp][lane][e] = best[e];
  __syncthreads();
  if (threadIdx.x < 32 && row < rows) {
#pragma unroll
    for (int e = 0; e < N; ++e) {
#pragma unroll
      for (int w = 1; w < warps; ++w) best[e] = Better{}(best[e], slots[w][lane][e]);
      if (gridDim.y == 1)
        put(&y[row + e], best[e]);
      else
        partials[blockIdx.y * rows + row + e] = best[e];
    }
  }
  if (gridDim.y == 1) return;
  __threadfence();  // 32 threads have written, the count is thread 0's
  __syncthreads();
  if (!is_last_block(&done[blockIdx.x], gridDim.y, is_last)) return;
  if (threadIdx.x == 0) atomicExch(&done[blockIdx.x], 0u);  // for the next launch
  for (int k = threadIdx.x; k < 32 * N; k += 32 * warps) {
    const std::int64_t r = std::int64_t(blockIdx.x) * 32 * N + k;
    if (r >= rows) continue;
    B all = nothing<reduce::Accumulator<T>>();
    for (unsigned p = 0; p < gridDim.y; ++p)
      all = Better{}(all,
                     B{__ldcg(&partials[p * rows + r].value), __ldcg(&partials[p * rows + r].at)});
    put(&y[r], all);
  }
}

struct Plan {
  int per_thread;  // rows
  std::int64_t groups, cols_a_block, parts;
};

// Enough blocks for eight per SM, but none with less than 64 columns.
Plan plan_of(const Args& args) {
  const std::int64_t rows = args.x.shape[0], cols = std::max<std::int64_t>(args.x.shape[1], 1);
  const int wide = 16 / int(size_of(args.x.dtype));
  const bool fits = rows % wide == 0 && args.x.stride[1] % wide == 0 && args.x.is_aligned(16);
  const int n = fits ? wide : 1;
  const std::int64_t groups = ceil_div(rows, 32 * n);
  const std::int64_t wanted =
      ceil_div(std::int64_t(multiprocessors()) * 8, std::max<std::int64_t>(groups, 1));
  const std::int64_t each = std::max<std::int64_t>(64, ceil_div(cols, wanted));
  return {n, groups, each, ceil_div(cols, each)};
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  const Plan plan = plan_of(args);
  dispatch_type(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using B = Best<reduce::Accumulator<T>>;
    auto* const done = static_cast<unsigned*>(args.scratch.data);
    B* const partials =
        reinterpret_cast<B*>(done + ceil_div(std::int64_t(multiprocessors()) * 8, 4) * 4);
    const dim3 grid(grid_x(plan.groups, 1), unsigned(plan.parts));
    const auto run = [&](auto n) {
      columns<decltype(n)::value>
          <<<grid, 32 * warps, 0, stream>>>(View<T>::of(args), args.y.as<std::int64_t>(), rows,
                                            cols, plan.cols_a_block, partials, done);
    };
    if (plan.per_thread > 1)
      run(std::integral_constant<int, lanes_of_16<T>>{});
    else
      run(std::integral_constant<int, 1>{});
  });
  CUDA_CHECK(cudaGetLastError());
}

// Walks are cut only where there are fewer groups than eight blocks per SM, which bounds the number of counters.
std::int64_t counter_bytes(const Args& args) {
  return plan_of(args).parts > 1 ? ceil_div(std::int64_t(multiprocessors()) * 8, 4) * 16 : 0;
}
std::int64_t scratch_bytes(const Args& args) {
  const Plan plan = plan_of(args);
  return plan.parts > 1 ? counter_bytes(args) + plan.parts * args.x.shape[0] * 16 : 0;
}

std::string side_by_side(const Args& args) {
  return args.x.shape[0] <= 1 || args.x.stride[0] == 1
             ? ""
             : "takes tensors whose rows lie side by side, as along the first axis of a matrix";
}
std::string no_rows(const Args& args) {
  return args.x.shape[0] > 1 && args.x.stride[1] != 1
             ? ""
             : "a row whose elements are neighbours is better read by all lanes of a warp";
}

WARPATH_RUNG(Args, launch, .supports = side_by_side, .preferred = no_rows, .scratch = scratch_bytes,
             .zeroed = counter_bytes);

}  // namespace
}  // namespace warpath::argmax
