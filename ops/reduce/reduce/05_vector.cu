// Sixteen bytes per load, many loads per thread, a grid that fits the GPU.
//
// What changed: a row is cut into as many stretches as blocks fit on the GPU at once; each
// thread keeps up to eight 16-byte loads in flight and adds up about a thousand elements in registers
// before the first shuffle. A second launch adds up the few hundred partial results of each row.
// Limit: the memory, for one long row. For many short rows a block of 512 threads has little to
// do in each.
#include "ops/reduce/reduce/accumulate.cuh"
#include "ops/reduce/split.cuh"
#include "ops/reduce/stretch.cuh"

namespace warpath::reduce {
namespace {

template <class T, class Out, class Op>
__global__ void __launch_bounds__(threads, blocks_an_sm)
    vectorised(const T* x, Out* y, std::int64_t cols, Split split, Op op) {
  using A = Accumulator<T>;
  __shared__ A slots[threads / 32];
  const std::int64_t row = blockIdx.x / split.blocks_a_row;
  const std::int64_t first = blockIdx.x % split.blocks_a_row * split.elements_a_block;
  const std::int64_t n = min(split.elements_a_block, cols - first);
  const Elements<T, Op> stretch{x + row * cols + first, op};
  const A total = block_reduce<threads>(reduce_stretch(stretch, n), op, slots);
  if (threadIdx.x == 0) put(&y[blockIdx.x], total);
}

template <class T>
constexpr Build build{threads, unroll, lanes_of_16<T>, blocks_an_sm};

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  dispatch_reduce(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    using A = Accumulator<T>;
    const Split split = split_rows(build<T>, rows, cols);
    const unsigned blocks = grid_x(rows * split.blocks_a_row, 1);
    if (split.blocks_a_row == 1) {
      vectorised<<<blocks, threads, 0, stream>>>(args.x.as<const T>(), args.y.as<T>(), cols, split,
                                                 op);
      return;
    }
    A* partial = static_cast<A*>(args.scratch.data);
    vectorised<<<blocks, threads, 0, stream>>>(args.x.as<const T>(), partial, cols, split, op);
    const Split whole{1, split.blocks_a_row};
    const A* in = partial;
    vectorised<<<grid_x(rows, 1), threads, 0, stream>>>(in, args.y.as<T>(), split.blocks_a_row,
                                                        whole, op);
  });
  CUDA_CHECK(cudaGetLastError());
}

// Never more partial results than resident blocks, or than rows where each row takes one block.
std::int64_t scratch_bytes(const Args& args) {
  return (args.x.shape[0] + build<float>.resident_blocks()) * 4;
}

WARPATH_RUNG(Args, launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::reduce
