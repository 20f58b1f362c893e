// Sixteen bytes per load, eight loads in flight per thread, a grid that fits the GPU, two launches.
//
// What changed: a row is cut into as many stretches as blocks fit on the GPU at once. A thread keeps four loads of x and
// four of y in flight and adds thousands of products in registers before the first shuffle (ops/reduce/stretch.cuh). The
// second launch adds up the few hundred partial sums of each row. Tensors that never reach a 16-byte boundary together
// are read one element at a time.
// Limit: the memory, for one long row. For many short rows a block of 256 threads has little to do in each.
#include "ops/reduce/dot/products.cuh"

namespace warpath::dot {
namespace {

template <class T, class Out>
__global__ void __launch_bounds__(threads, blocks_an_sm)
    vectorised(const T* x, const T* y, Out* out, std::int64_t cols, reduce::Split split) {
  __shared__ float slots[threads / 32];
  const std::int64_t row = blockIdx.x / split.blocks_a_row;
  const std::int64_t first = blockIdx.x % split.blocks_a_row * split.elements_a_block;
  const std::int64_t n = min(split.elements_a_block, cols - first), at = row * cols + first;
  const float mine = reduce::reduce_stretch<threads, unroll>(Products<T>{x + at, y + at}, n);
  const float sum = block_reduce<threads>(mine, Sum{}, slots);
  if (threadIdx.x == 0) reduce::put(&out[blockIdx.x], sum);
}

template <class T>
__global__ void __launch_bounds__(threads)
    add_partials(const float* partials, T* z, std::int64_t blocks_a_row) {
  __shared__ float slots[threads / 32];
  float mine = 0.0f;
  for (std::int64_t k = threadIdx.x; k < blocks_a_row; k += threads)
    mine += partials[blockIdx.x * blocks_a_row + k];
  const float sum = block_reduce<threads>(mine, Sum{}, slots);
  if (threadIdx.x == 0) reduce::put(&z[blockIdx.x], sum);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const reduce::Split split = reduce::split_rows(build<T>, rows, cols);
    const unsigned blocks = grid_x(rows * split.blocks_a_row, 1);
    const T *x = args.x.as<T>(), *y = args.y.as<T>();
    T* const z = args.z.as<T>();
    if (split.blocks_a_row == 1) {
      vectorised<<<blocks, threads, 0, stream>>>(x, y, z, cols, split);
      return;
    }
    auto* const partials = static_cast<float*>(args.scratch.data);
    vectorised<<<blocks, threads, 0, stream>>>(x, y, partials, cols, split);
    add_partials<<<grid_x(rows, 1), threads, 0, stream>>>(partials, z, split.blocks_a_row);
  });
  CUDA_CHECK(cudaGetLastError());
}

// Never more partial sums than resident blocks, or than rows where each row takes one block.
std::int64_t scratch_bytes(const Args& args) {
  return (args.x.shape[0] + build<float>.resident_blocks()) * 4;
}

WARPATH_RUNG(Args, launch, .supports = in_rows, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::dot
