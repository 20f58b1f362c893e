// One launch: the last block to finish a row joins that row's parts and takes the root. Short rows get one warp each, or
// a few.
//
// What changed: a block that has written its part counts itself, and the one that finds itself last does what the second
// launch did (core/block/last_block.cuh). Rows shorter than a round of a block's loads are taken by one or eight warps each.
// Limit: the memory.
#include "core/block/last_block.cuh"
#include "ops/reduce/norm/kinds.cuh"
#include "ops/reduce/split.cuh"

namespace warpath::norm {
namespace {

template <class T, class K>
__global__ void __launch_bounds__(threads, blocks_an_sm)
    single_pass(const T* x, T* y, std::int64_t cols, reduce::Split split, float* partials,
                unsigned* done, K kind) {
  __shared__ float slots[threads / 32];
  __shared__ bool is_last;
  const typename K::Op op;
  const std::int64_t row = blockIdx.x / split.blocks_a_row;
  const std::int64_t part = blockIdx.x % split.blocks_a_row;
  const std::int64_t first = part * split.elements_a_block;
  const std::int64_t n = min(split.elements_a_block, cols - first);
  const Terms<T, K> terms{x + row * cols + first, op, kind};
  float total = block_reduce<threads>(reduce::reduce_stretch(terms, n), op, slots);

  if (split.blocks_a_row > 1) {
    float* const row_partials = partials + row * split.blocks_a_row;
    if (threadIdx.x == 0) row_partials[part] = total;
    if (!is_last_block(&done[row], unsigned(split.blocks_a_row), is_last)) return;
    float mine = 0.0f;
#pragma unroll 8
    for (std::int64_t k = threadIdx.x; k < split.blocks_a_row; k += threads)
      mine = op(mine, __ldcg(&row_partials[k]));
    total = block_reduce<threads>(mine, op, slots);
    if (threadIdx.x == 0) atomicExch(&done[row], 0u);  // for the next launch
  }
  if (threadIdx.x == 0) y[row] = from_float<T>(kind.finish(total));
}

// `Warps` warps per row, `Loads` loads in flight per thread.
template <int Warps, int Loads, class T, class K>
__global__ void __launch_bounds__(32 * reduce::block_warps)
    warps_a_row(const T* x, T* y, std::int64_t rows, std::int64_t cols, bool aligned, K kind) {
  constexpr int step = 32 * Warps;
  __shared__ float slots[reduce::block_warps];
  const typename K::Op op;
  const int thread = threadIdx.x % step;
  const std::int64_t row =
      std::int64_t(blockIdx.x) * (reduce::block_warps / Warps) + threadIdx.x / step;
  const std::int64_t n = row < rows ? cols : 0;  // no early return: a barrier follows
  const Terms<T, K> terms{x + row * cols, op, kind};
  const float mine = reduce::reduce_share<step, Loads>(terms, n, thread, aligned);
  const float total = reduce::join_warps<Warps>(mine, op, slots);
  if (thread == 0 && row < rows) y[row] = from_float<T>(kind.finish(total));
}

reduce::Build build_of(const Args& args) {
  return {threads, reduce::unroll, 16 / int(size_of(args.x.dtype)), blocks_an_sm};
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  const reduce::Build build = build_of(args);
  dispatch_norm(args, [&](auto tag, auto kind) {
    using T = typename decltype(tag)::type;
    const T* const x = args.x.as<T>();
    T* const y = args.y.as<T>();
    if (reduce::rows_are_short(build, rows, cols)) {
      const bool aligned = cols % lanes_of_16<T> == 0 && all_aligned(16, x);
      constexpr int block = 32 * reduce::block_warps;
      if (reduce::warps_for(build, cols) > 1)
        warps_a_row<8, 4><<<grid_x(rows, 1), block, 0, stream>>>(x, y, rows, cols, aligned, kind);
      else
        warps_a_row<1, 8><<<grid_x(rows, reduce::block_warps), block, 0, stream>>>(x, y, rows, cols,
                                                                                   aligned, kind);
      return;
    }
    const reduce::Split split = reduce::split_in_order(build, rows, cols);
    auto* const done = static_cast<unsigned*>(args.scratch.data);
    float* const partials =
        static_cast<float*>(args.scratch.data) + reduce::counter_bytes(build, rows, cols) / 4;
    single_pass<<<grid_x(rows * split.blocks_a_row, 1), threads, 0, stream>>>(x, y, cols, split,
                                                                              partials, done, kind);
  });
  CUDA_CHECK(cudaGetLastError());
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
}  // namespace warpath::norm
