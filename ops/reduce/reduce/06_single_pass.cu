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
#include "core/host/device.cuh"
#include "ops/reduce/reduce/stretch.cuh"

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
  A total = block_reduce<threads>(reduce_stretch(x + row * cols + first, n, op), op, slots);

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

constexpr int block_warps = 8;

// `Warps` warps reduce a row, with `Loads` 16-byte loads per thread in flight.
template <int Warps, int Loads, class T, class Op>
__global__ void __launch_bounds__(32 * block_warps)
    warps_a_row(const T* x, T* y, std::int64_t rows, std::int64_t cols, bool aligned, Op op) {
  using A = Accumulator<T>;
  constexpr int E = lanes_of_16<T>, step = 32 * Warps;
  __shared__ A slots[block_warps];
  const int warp = threadIdx.x / 32, thread = threadIdx.x % step;
  const std::int64_t row = std::int64_t(blockIdx.x) * (block_warps / Warps) + warp / Warps;
  const std::int64_t n = row < rows ? cols : 0;  // no early return: a barrier follows
  const T* in = x + row * cols;
  A total = Op::template identity<A>();
  if (aligned) {
    for (std::int64_t i = thread * E; i < n; i += Loads * step * E) {
      Vector<T, E> v[Loads];
#pragma unroll
      for (int u = 0; u < Loads; ++u)
        if (i + u * step * E < n) v[u] = load_once<E>(in + i + u * step * E);
#pragma unroll
      for (int u = 0; u < Loads; ++u)
        if (i + u * step * E < n)
#pragma unroll
          for (int e = 0; e < E; ++e) total = op(total, widen(v[u].at[e]));
    }
  } else {
#pragma unroll 4
    for (std::int64_t i = thread; i < n; i += step) total = op(total, widen(in[i]));
  }
  total = warp_reduce(total, op);
  if constexpr (Warps > 1) {
    if (threadIdx.x % 32 == 0) slots[warp] = total;
    __syncthreads();
    total = warp_reduce<Warps>(slots[warp / Warps * Warps + threadIdx.x % Warps], op);
  }
  if (thread == 0 && row < rows) put(&y[row], total);
}

unsigned resident_blocks() {
  return multiprocessors() * blocks_an_sm;
}

// Warps for a short row: four or eight only where each thread gets at least four vectors.
template <class T>
int warps_for(std::int64_t cols) {
  const std::int64_t vectors = cols / lanes_of_16<T>;
  return vectors >= 1024 ? 8 : vectors >= 512 ? 4 : 1;
}

// A row is short when it is less than a full round of loads for a block of 512 threads, and either
// its warps finish in a few loads or there are enough rows to fill the GPU with warps.
template <class T>
bool rows_are_short(std::int64_t rows, std::int64_t cols) {
  const std::int64_t vectors = cols / lanes_of_16<T>;
  return cols < std::int64_t(threads) * unroll * lanes_of_16<T> &&
         (cols <= 1024 || (vectors >= 512 && vectors <= 1024) ||
          rows * warps_for<T>(cols) >= std::int64_t(multiprocessors()) * 32);
}

// How a row is shared out: one round of loads per block, two where there are many blocks. Blocks
// are started in order, so short ones walk through the memory from front to back, and an SM that
// finishes early takes the next block.
template <class T>
Split split_in_order(std::int64_t rows, std::int64_t cols) {
  constexpr std::int64_t round = std::int64_t(threads) * unroll * lanes_of_16<T>;
  if (rows >= resident_blocks()) return {1, std::max<std::int64_t>(cols, 1)};
  const std::int64_t rounds = ceil_div(std::max<std::int64_t>(cols, 1), round);
  const std::int64_t elements = rows * rounds >= 4 * resident_blocks() ? 2 * round : round;
  return {std::max<std::int64_t>(1, ceil_div(cols, elements)), elements};
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  dispatch_reduce(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    using A = Accumulator<T>;
    const T* x = args.x.as<T>();
    T* y = args.y.as<T>();
    if (rows_are_short<T>(rows, cols)) {
      const bool aligned = cols % lanes_of_16<T> == 0 && all_aligned(16, x);
      const auto run = [&](auto warps, auto loads) {
        constexpr int each = decltype(warps)::value;
        warps_a_row<each, decltype(loads)::value>
            <<<grid_x(rows, block_warps / each), 32 * block_warps, 0, stream>>>(x, y, rows, cols,
                                                                                aligned, op);
      };
      using std::integral_constant;
      const int warps = warps_for<T>(cols);
      if (warps == 8)
        run(integral_constant<int, 8>{}, integral_constant<int, 4>{});
      else if (warps == 4)
        run(integral_constant<int, 4>{}, integral_constant<int, 4>{});
      else
        run(integral_constant<int, 1>{}, integral_constant<int, 8>{});
      return;
    }
    const Split split = split_in_order<T>(rows, cols);
    auto* done = static_cast<unsigned*>(args.scratch.data);
    A* partial = reinterpret_cast<A*>(done + resident_blocks());
    single_pass<<<grid_x(rows * split.blocks_a_row, 1), threads, 0, stream>>>(x, y, cols, split,
                                                                              partial, done, op);
  });
  CUDA_CHECK(cudaGetLastError());
}

// Partial results of all rows; none where a row is reduced by warps or by one block.
std::int64_t partials(const Args& args) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  std::int64_t all = 0;
  dispatch_reduce(args, [&](auto tag, auto) {
    using T = typename decltype(tag)::type;
    if (rows == 0 || rows_are_short<T>(rows, cols)) return;
    const std::int64_t blocks = split_in_order<T>(rows, cols).blocks_a_row;
    if (blocks > 1) all = rows * blocks;
  });
  return all;
}

// Rows are split only when there are fewer rows than resident blocks, which bounds the number of
// counters. The counters have the same place for every shape, because they must stay zero between
// launches.
std::int64_t counter_bytes(const Args& args) {
  return partials(args) > 0 ? std::int64_t(resident_blocks()) * 4 : 0;
}
std::int64_t scratch_bytes(const Args& args) {
  return counter_bytes(args) + partials(args) * 4;
}

WARPATH_RUNG(Args, launch, .scratch = scratch_bytes, .zeroed = counter_bytes);

}  // namespace
}  // namespace warpath::reduce
