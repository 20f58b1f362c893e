// One launch: the last block to finish a row adds up that row's partial results. Short rows get
// one warp each, or a few.
//
// What changed: every block increments its row's counter when its partial result is written; the
// one that finds itself last can read all of them (the fence makes them visible) and finishes the
// row, in a fixed order, so the result does not depend on which block it is. The second launch and
// its gap are gone, and partial results cost so little now that a long row is cut into many short
// stretches. Rows shorter than a round of a block's loads are reduced by one, four or eight warps
// each: more than one only where every thread has at least four loads.
// Limit: the memory.
#include "ops/reduce/reduce/accumulate.cuh"
#include "ops/reduce/split.cuh"
#include "ops/reduce/stretch.cuh"

namespace warpath::reduce {
namespace {

template <class T, class Op>
__global__ void __launch_bounds__(threads, blocks_an_sm)
    single_pass(const T* x, T* y, std::int64_t cols, Split split, Accumulator<T>* partial,
                unsigned* done, Op op) {
  using A = Accumulator<T>;
  __shared__ A slots[threads / 32];
  __shared__ bool is_last;
  const std::int64_t row = blockIdx.x / split.blocks_a_row;
  const std::int64_t part = blockIdx.x % split.blocks_a_row;
  const std::int64_t first = part * split.elements_a_block;
  const std::int64_t n = min(split.elements_a_block, cols - first);
  const Elements<T, Op> stretch{x + row * cols + first, op};
  A total = block_reduce<threads>(reduce_stretch(stretch, n), op, slots);

  if (split.blocks_a_row > 1) {
    A* const row_partial = partial + row * split.blocks_a_row;
    if (threadIdx.x == 0) {
      row_partial[part] = total;
      __threadfence();
      is_last = atomicAdd(&done[row], 1u) == unsigned(split.blocks_a_row) - 1;
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    A mine = Op::template identity<A>();
#pragma unroll 8
    for (std::int64_t k = threadIdx.x; k < split.blocks_a_row; k += threads)
      mine = op(mine, __ldcg(&row_partial[k]));
    total = block_reduce<threads>(mine, op, slots);
    if (threadIdx.x == 0) atomicExch(&done[row], 0u);  // for the next launch
  }
  if (threadIdx.x == 0) put(&y[row], total);
}

// `Warps` warps reduce a row, with `Loads` 16-byte loads per thread in flight.
template <int Warps, int Loads, class T, class Op>
__global__ void __launch_bounds__(32 * block_warps)
    warps_a_row(const T* x, T* y, std::int64_t rows, std::int64_t cols, bool aligned, Op op) {
  using A = Accumulator<T>;
  constexpr int step = 32 * Warps;
  __shared__ A slots[block_warps];
  const int thread = threadIdx.x % step;
  const std::int64_t row = std::int64_t(blockIdx.x) * (block_warps / Warps) + threadIdx.x / step;
  const std::int64_t n = row < rows ? cols : 0;  // no early return: a barrier follows
  const Elements<T, Op> elements{x + row * cols, op};
  const A mine = reduce_share<step, Loads>(elements, n, thread, aligned);
  const A total = join_warps<Warps>(mine, op, slots);
  if (thread == 0 && row < rows) put(&y[row], total);
}

template <class T>
constexpr Build build{threads, unroll, lanes_of_16<T>, blocks_an_sm};

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  dispatch_reduce(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    using A = Accumulator<T>;
    const T* x = args.x.as<T>();
    T* y = args.y.as<T>();
    if (rows_are_short(build<T>, rows, cols)) {
      const bool aligned = cols % lanes_of_16<T> == 0 && all_aligned(16, x);
      const auto run = [&](auto warps, auto loads) {
        constexpr int each = decltype(warps)::value;
        warps_a_row<each, decltype(loads)::value>
            <<<grid_x(rows, block_warps / each), 32 * block_warps, 0, stream>>>(x, y, rows, cols,
                                                                                aligned, op);
      };
      using std::integral_constant;
      const int warps = warps_for(build<T>, cols);
      if (warps == 8)
        run(integral_constant<int, 8>{}, integral_constant<int, 4>{});
      else if (warps == 4)
        run(integral_constant<int, 4>{}, integral_constant<int, 4>{});
      else
        run(integral_constant<int, 1>{}, integral_constant<int, 8>{});
      return;
    }
    const Split split = split_in_order(build<T>, rows, cols);
    auto* done = static_cast<unsigned*>(args.scratch.data);
    A* partial = reinterpret_cast<A*>(static_cast<char*>(args.scratch.data) +
                                      counter_bytes(build<T>, rows, cols));
    single_pass<<<grid_x(rows * split.blocks_a_row, 1), threads, 0, stream>>>(x, y, cols, split,
                                                                              partial, done, op);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t counter_bytes(const Args& args) {
  std::int64_t bytes = 0;
  dispatch_reduce(args, [&](auto tag, auto) {
    using T = typename decltype(tag)::type;
    bytes = counter_bytes(build<T>, args.x.shape[0], args.x.shape[1]);
  });
  return bytes;
}
std::int64_t scratch_bytes(const Args& args) {
  std::int64_t partials = 0;
  dispatch_reduce(args, [&](auto tag, auto) {
    using T = typename decltype(tag)::type;
    partials = partials_of(build<T>, args.x.shape[0], args.x.shape[1]);
  });
  return counter_bytes(args) + partials * 4;
}

WARPATH_RUNG(Args, launch, .scratch = scratch_bytes, .zeroed = counter_bytes);

}  // namespace
}  // namespace warpath::reduce
