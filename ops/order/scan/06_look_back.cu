// One launch, each element read once: a tile looks back at its predecessors while they still work.
//
// What changed: a tile publishes its sum as soon as it has it, then reads what the tiles before it have published until
// it knows all that comes before it (decoupled look-back, ops/order/look_back.cuh). Its elements stay on the SM
// meanwhile: shared memory turns rows of 256 neighbours, as they are loaded, into eight neighbours per thread, as they
// are scanned, and back.
// Limit: small loads, and two trips of every element through shared memory.
#include "ops/order/look_back.cuh"
#include "ops/order/scan/call.cuh"

namespace warpath::scan {
namespace {

using order::Board;

constexpr int threads = 256, items = 8, tile = threads * items;

// One unused word after every 32: the lanes of a warp find their items in different banks.
__device__ __forceinline__ int padded(int i) {
  return i + i / 32;
}

template <class T, class Op>
__global__ void __launch_bounds__(threads) one_pass(Rows<T> rows, Board board, Op op) {
  using A = Value<T>;
  __shared__ A staged[tile + tile / 32];
  __shared__ A slots[threads / 32];
  __shared__ A before_tile;
  __shared__ Board::Tile taken;
  const int t = threadIdx.x;
  if (t == 0) taken = board.take();
  __syncthreads();
  const Board::Tile mine = taken;
  const std::int64_t first = mine.part * tile;
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const std::int64_t j = first + k * threads + t;
    staged[padded(k * threads + t)] =
        j < rows.cols ? widen(rows.x[rows.at(mine.row, j)]) : Op::template identity<A>();
  }
  __syncthreads();

  A item[items], sum = Op::template identity<A>();
#pragma unroll
  for (int k = 0; k < items; ++k) sum = op(sum, item[k] = staged[padded(t * items + k)]);
  const BlockPrefix<A> prefix = block_scan<threads>(sum, Op::template identity<A>(), op, slots);
  unsigned left = 0;
  if (t < 32) {
    const A before = board.look_back(mine, prefix.all, Op::template identity<A>(), op);
    if (t == 0) {
      before_tile = before;
      left = board.leave(mine);
    }
  }
  __syncthreads();

  A running = op(before_tile, prefix.before);
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const A next = op(running, item[k]);
    staged[padded(t * items + k)] = rows.exclusive ? running : next;
    running = next;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const std::int64_t j = first + k * threads + t;
    if (j < rows.cols) rows.y[rows.at(mine.row, j)] = narrow<T>(staged[padded(k * threads + t)]);
  }
  if (t < 32) board.clean(mine, left);
}

std::int64_t tiles_of(const Args& args) {
  return ceil_div(args.x.shape[1], tile);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.x.size() == 0) return;
  dispatch_scan(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    const std::int64_t rows = args.x.shape[0], tiles = tiles_of(args);
    one_pass<<<grid_x(rows * tiles, 1), threads, 0, stream>>>(
        Rows<T>(args), Board(rows, tiles, args.scratch.data, order::Packed<Value<T>>::words), op);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t board_bytes(const Args& args) {
  if (args.x.size() == 0) return 0;
  std::int64_t bytes = 0;
  dispatch_scan(args, [&](auto tag, auto) {
    using A = Value<typename decltype(tag)::type>;
    bytes = Board::bytes(args.x.shape[0], tiles_of(args), order::Packed<A>::words);
  });
  return bytes;
}

WARPATH_RUNG(Args, launch, .supports = no_segments, .scratch = board_bytes, .zeroed = board_bytes);

}  // namespace
}  // namespace warpath::scan
