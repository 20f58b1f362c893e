// One launch: the last block to finish a row adds up that row's partial sums. Short rows get one warp each, or a few.
//
// What changed: a block that has written its partial sum counts itself; the one that finds itself last adds all of them, in
// a fixed order, so the result does not depend on which block it is (core/block/last_block.cuh). The second launch and the
// wait for it are gone, and a long row is cut into many short stretches, so that no SM is left with a large one at the end.
// Rows shorter than a round of a block's loads are summed by one, four or eight warps each.
// Limit: the memory.
#include "core/block/last_block.cuh"
#include "ops/reduce/dot/products.cuh"

namespace warpath::dot {
namespace {

template <class T>
__global__ void __launch_bounds__(threads, blocks_an_sm)
    single_pass(const T* x, const T* y, T* z, std::int64_t cols, reduce::Split split,
                float* partials, unsigned* done) {
  __shared__ float slots[threads / 32];
  __shared__ bool is_last;
  const std::int64_t row = blockIdx.x / split.blocks_a_row;
  const std::int64_t part = blockIdx.x % split.blocks_a_row;
  const std::int64_t first = part * split.elements_a_block;
  const std::int64_t n = min(split.elements_a_block, cols - first), at = row * cols + first;
  float mine = reduce::reduce_stretch<threads, unroll>(Products<T>{x + at, y + at}, n);
  float sum = block_reduce<threads>(mine, Sum{}, slots);

  if (split.blocks_a_row > 1) {
    float* const row_partials = partials + row * split.blocks_a_row;
    if (threadIdx.x == 0) row_partials[part] = sum;
    if (!is_last_block(&done[row], unsigned(split.blocks_a_row), is_last)) return;
    mine = 0.0f;
#pragma unroll 8
    for (std::int64_t k = threadIdx.x; k < split.blocks_a_row; k += threads)
      mine += __ldcg(&row_partials[k]);
    sum = block_reduce<threads>(mine, Sum{}, slots);
    if (threadIdx.x == 0) atomicExch(&done[row], 0u);  // for the next launch
  }
  if (threadIdx.x == 0) reduce::put(&z[row], sum);
}

// `Warps` warps per row, four loads of each tensor in flight per thread.
template <int Warps, class T>
__global__ void __launch_bounds__(32 * reduce::block_warps, 3)
    warps_a_row(const T* x, const T* y, T* z, std::int64_t rows, std::int64_t cols, bool aligned) {
  constexpr int step = 32 * Warps;
  __shared__ float slots[reduce::block_warps];
  const int thread = threadIdx.x % step;
  const std::int64_t row =
      std::int64_t(blockIdx.x) * (reduce::block_warps / Warps) + threadIdx.x / step;
  const std::int64_t n = row < rows ? cols : 0;  // no early return: a barrier follows
  const Products<T> products{x + row * cols, y + row * cols};
  const float mine = reduce::reduce_share<step, unroll>(products, n, thread, aligned);
  const float sum = reduce::join_warps<Warps>(mine, Sum{}, slots);
  if (thread == 0 && row < rows) reduce::put(&z[row], sum);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *x = args.x.as<T>(), *y = args.y.as<T>();
    T* const z = args.z.as<T>();
    if (reduce::rows_are_short(build<T>, rows, cols)) {
      const bool aligned = cols % lanes_of_16<T> == 0 && all_aligned(16, x, y);
      const auto run = [&](auto warps) {
        constexpr int each = decltype(warps)::value, block = 32 * reduce::block_warps;
        warps_a_row<each><<<grid_x(rows, reduce::block_warps / each), block, 0, stream>>>(
            x, y, z, rows, cols, aligned);
      };
      const int warps = reduce::warps_for(build<T>, cols);
      if (warps == 8)
        run(std::integral_constant<int, 8>{});
      else if (warps == 4)
        run(std::integral_constant<int, 4>{});
      else
        run(std::integral_constant<int, 1>{});
      return;
    }
    const reduce::Split split = reduce::split_in_order(build<T>, rows, cols);
    auto* const done = static_cast<unsigned*>(args.scratch.data);
    auto* const partials =
        static_cast<float*>(args.scratch.data) + reduce::counter_bytes(build<T>, rows, cols) / 4;
    single_pass<<<grid_x(rows * split.blocks_a_row, 1), threads, 0, stream>>>(x, y, z, cols, split,
                                                                              partials, done);
  });
  CUDA_CHECK(cudaGetLastError());
}

reduce::Build build_of(const Args& args) {
  return args.x.dtype == DType::f32 ? build<float> : build<__half>;
}
std::int64_t counter_bytes(const Args& args) {
  return reduce::counter_bytes(build_of(args), args.x.shape[0], args.x.shape[1]);
}
std::int64_t scratch_bytes(const Args& args) {
  return counter_bytes(args) +
         reduce::partials_of(build_of(args), args.x.shape[0], args.x.shape[1]) * 4;
}

WARPATH_RUNG(Args, launch, .supports = in_rows, .scratch = scratch_bytes, .zeroed = counter_bytes);

}  // namespace
}  // namespace warpath::dot
