// A row is shared out among all SMs, 16 bytes per load; a second launch joins the parts and takes the root.
//
// What changed: as many stretches per row as blocks fit on the GPU at once, eight 16-byte loads in flight per thread
// (ops/reduce/stretch.cuh). The root is no part of a stretch's result: the root of a sum is not the sum of roots.
// Limit: the memory, for one long row; the second launch waits for the slowest block of the first. For many short rows a
// block of 512 threads has little to do in each.
#include "ops/reduce/norm/kinds.cuh"
#include "ops/reduce/split.cuh"

namespace warpath::norm {
namespace {

template <class T, class K>
__global__ void __launch_bounds__(threads, blocks_an_sm)
    first_stage(const T* x, float* partials, std::int64_t cols, reduce::Split split, K kind) {
  __shared__ float slots[threads / 32];
  const std::int64_t row = blockIdx.x / split.blocks_a_row;
  const std::int64_t first = blockIdx.x % split.blocks_a_row * split.elements_a_block;
  const std::int64_t n = min(split.elements_a_block, cols - first);
  const Terms<T, K> terms{x + row * cols + first, {}, kind};
  const float total =
      block_reduce<threads>(reduce::reduce_stretch(terms, n), typename K::Op{}, slots);
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}

template <class T, class K>
__global__ void __launch_bounds__(threads)
    second_stage(const float* partials, T* y, std::int64_t parts, K kind) {
  __shared__ float slots[threads / 32];
  const typename K::Op op;
  float mine = 0.0f;
  for (std::int64_t k = threadIdx.x; k < parts; k += threads)
    mine = op(mine, partials[blockIdx.x * parts + k]);
  const float total = block_reduce<threads>(mine, op, slots);
  if (threadIdx.x == 0) y[blockIdx.x] = from_float<T>(kind.finish(total));
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  auto* const partials = static_cast<float*>(args.scratch.data);
  dispatch_norm(args, [&](auto tag, auto kind) {
    using T = typename decltype(tag)::type;
    constexpr reduce::Build build{threads, reduce::unroll, lanes_of_16<T>, blocks_an_sm};
    const reduce::Split split = reduce::split_rows(build, rows, cols);
    first_stage<<<grid_x(rows * split.blocks_a_row, 1), threads, 0, stream>>>(
        args.x.as<const T>(), partials, cols, split, kind);
    second_stage<<<grid_x(rows, 1), threads, 0, stream>>>(partials, args.y.as<T>(),
                                                          split.blocks_a_row, kind);
  });
  CUDA_CHECK(cudaGetLastError());
}

// Never more parts than resident blocks, or than rows where each row takes one block.
std::int64_t scratch_bytes(const Args& args) {
  return (args.x.shape[0] + std::int64_t(multiprocessors()) * blocks_an_sm) * 4;
}

WARPATH_RUNG(Args, launch, .supports = in_rows, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::norm
