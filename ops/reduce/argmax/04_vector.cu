// Sixteen bytes per load, eight loads in flight per thread, and one comparison of places per vector.
//
// What changed: a row is cut into as many stretches as blocks fit on the GPU at once. Of each 16-byte vector a thread takes
// the best value, as a maximum does, and compares only that one with what it has: the place costs two selects per vector,
// not per element. Which element of the vector it was is looked up at the very end, once per row. A second launch finds the
// best of the few hundred pairs of each row.
// Limit: the memory, for one long row. For many short rows a block of 512 threads has little to do in each.
#include "ops/reduce/argmax/vectors.cuh"

namespace warpath::argmax {
namespace {

template <class T, class Out>
__global__ void __launch_bounds__(threads, blocks_an_sm)
    vectorised(View<T> in, Out* out, std::int64_t cols, reduce::Split split) {
  using B = Best<reduce::Accumulator<T>>;
  __shared__ B slots[threads / 32];
  const std::int64_t row = blockIdx.x / split.blocks_a_row;
  const std::int64_t first = blockIdx.x % split.blocks_a_row * split.elements_a_block;
  const std::int64_t n = min(split.elements_a_block, cols - first);
  const T* const x = in.x + row * in.row_stride;
  const Vectors<T> stretch{x + first, first, in.flip};
  const B mine = reduce::reduce_stretch<threads, unroll>(stretch, n);
  const B best = block_reduce<threads>(mine, Better{}, slots);
  if (threadIdx.x != 0) return;
  if constexpr (std::is_same_v<Out, B>)
    out[blockIdx.x] = best;
  else
    out[row] = place_of(x, cols, in.flip, best);
}

template <class T>
__global__ void __launch_bounds__(threads)
    best_of_row(View<T> in, const Best<reduce::Accumulator<T>>* partials, std::int64_t* y,
                std::int64_t cols, std::int64_t blocks_a_row) {
  using B = Best<reduce::Accumulator<T>>;
  __shared__ B slots[threads / 32];
  const std::int64_t row = blockIdx.x;
  B mine = nothing<reduce::Accumulator<T>>();
  for (std::int64_t k = threadIdx.x; k < blocks_a_row; k += threads)
    mine = Better{}(mine, partials[row * blocks_a_row + k]);
  const B best = block_reduce<threads>(mine, Better{}, slots);
  if (threadIdx.x == 0) y[row] = place_of(in.x + row * in.row_stride, cols, in.flip, best);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  dispatch_type(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using B = Best<reduce::Accumulator<T>>;
    const reduce::Split split = reduce::split_rows(build<T>, rows, cols);
    const unsigned blocks = grid_x(rows * split.blocks_a_row, 1);
    const View<T> in = View<T>::of(args);
    auto* const y = args.y.as<std::int64_t>();
    if (split.blocks_a_row == 1) {
      vectorised<<<blocks, threads, 0, stream>>>(in, y, cols, split);
      return;
    }
    B* const partials = static_cast<B*>(args.scratch.data);
    vectorised<<<blocks, threads, 0, stream>>>(in, partials, cols, split);
    best_of_row<<<grid_x(rows, 1), threads, 0, stream>>>(in, partials, y, cols, split.blocks_a_row);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Args& args) {
  return (args.x.shape[0] + build_of(args).resident_blocks()) * 16;
}

WARPATH_RUNG(Args, launch, .supports = in_rows, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::argmax
