// One launch: the last block to finish a row adds up that row's partial results. Short rows get
// a warp each.
//
// What changed: every block counts itself off at its row's counter when its partial result is
// written; the one that finds itself last has all of them in reach (the fence makes them
// visible) and finishes the row, in a fixed order, so the result does not depend on which block
// it is. The second launch and its gap are gone. Rows shorter than a round of a block's loads
// are reduced by one warp each, eight rows a block.
// Limit: the memory.
#include "core/device.cuh"
#include "stretch.cuh"

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
    for (std::int64_t k = threadIdx.x; k < split.blocks_a_row; k += threads)
      mine = op(mine, __ldcg(&row_partial[k]));
    total = block_reduce<threads>(mine, op, slots);
    if (threadIdx.x == 0) done[row] = 0;  // for the next launch
  }
  if (threadIdx.x == 0) put(&y[row], total);
}

constexpr int warps_a_block = 8;

template <class T, class Op>
__global__ void __launch_bounds__(32 * warps_a_block)
    warp_a_row(const T* x, T* y, std::int64_t rows, std::int64_t cols, bool aligned, Op op) {
  using A = Accumulator<T>;
  constexpr int E = lanes_of_16<T>;
  const std::int64_t row = std::int64_t(blockIdx.x) * warps_a_block + threadIdx.x / 32;
  if (row >= rows) return;
  const int lane = threadIdx.x % 32;
  const T* in = x + row * cols;
  A total = Op::template identity<A>();
  if (aligned) {
#pragma unroll 4
    for (std::int64_t i = lane * E; i < cols; i += 32 * E) {
      const Vector<T, E> v = load_once<E>(in + i);
#pragma unroll
      for (int e = 0; e < E; ++e) total = op(total, widen(v.at[e]));
    }
  } else {
#pragma unroll 4
    for (std::int64_t i = lane; i < cols; i += 32) total = op(total, widen(in[i]));
  }
  total = warp_reduce(total, op);
  if (lane == 0) put(&y[row], total);
}

unsigned resident_blocks() {
  return multiprocessors() * blocks_an_sm;
}

// A row is short when one block would not get a full round of loads out of it, and there are rows
// for every warp.
template <class T>
bool rows_are_short(std::int64_t rows, std::int64_t cols) {
  return cols < std::int64_t(threads) * unroll * lanes_of_16<T> &&
         (cols <= 1024 || rows >= std::int64_t(multiprocessors()) * 32);
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
      warp_a_row<<<grid_x(rows, warps_a_block), 32 * warps_a_block, 0, stream>>>(x, y, rows, cols,
                                                                                 aligned, op);
      return;
    }
    const Split split = split_rows<T>(rows, cols, resident_blocks());
    auto* done = static_cast<unsigned*>(args.scratch.data);
    A* partial = reinterpret_cast<A*>(done + resident_blocks());
    single_pass<<<grid_x(rows * split.blocks_a_row, 1), threads, 0, stream>>>(x, y, cols, split,
                                                                              partial, done, op);
  });
  CUDA_CHECK(cudaGetLastError());
}

// How a row is shared out, where it is: rows that a warp or one block takes need no scratch.
template <class T>
bool is_split(std::int64_t rows, std::int64_t cols) {
  return rows > 0 && !rows_are_short<T>(rows, cols) &&
         split_rows<T>(rows, cols, resident_blocks()).blocks_a_row > 1;
}
bool is_split(const Args& args) {
  bool yes = false;
  dispatch_reduce(args, [&](auto tag, auto) {
    yes = is_split<typename decltype(tag)::type>(args.x.shape[0], args.x.shape[1]);
  });
  return yes;
}

// Rows are split only when there are fewer than resident blocks: at most so many counters, at most so many partial
// results. The counters have a place of their own for every shape, because they must stay zero between launches.
std::int64_t counter_bytes(const Args& args) {
  return is_split(args) ? std::int64_t(resident_blocks()) * 4 : 0;
}
std::int64_t scratch_bytes(const Args& args) {
  return 2 * counter_bytes(args);
}

WARPATH_RUNG(Args, launch, .scratch = scratch_bytes, .zeroed = counter_bytes);

}  // namespace
}  // namespace warpath::reduce
