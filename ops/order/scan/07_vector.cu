// Sixteen bytes per load, four loads in flight per thread, and no shared memory for the elements.
//
// What changed: a thread keeps four vectors of its tile in registers. Instead of a transposition through shared memory,
// each vector is reduced where it is, the lanes' sums are scanned by shuffles, and only these sums meet in shared memory
// (tile.cuh). Vectors are cut at 16-byte boundaries wherever a row begins, so rows of any length are loaded the same
// way. Short rows get a warp each, rows of one tile a block without look-back.
// Limit: latency. While a tile looks back its loads are done, so other blocks of the SM must have theirs in flight.
#include "ops/order/scan/tile.cuh"

namespace warpath::scan {
namespace {

using order::Board;

template <class T, class Op>
__global__ void __launch_bounds__(threads, 4) short_rows(Call<T> call, Op) {
  warp_a_row<Plain<Op, T>>(call);
}

// 48 registers per thread for five blocks on an SM. Eight halves to a vector need more.
template <bool LookBack, class T, class Op>
__global__ void __launch_bounds__(threads, sizeof(T) == 4 ? 5 : 4)
    tiles(Call<T> call, Board board, Op) {
  tile_a_block<LookBack, Plain<Op, T>>(call, board);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.x.size() == 0) return;
  dispatch_scan(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    const Call<T> call(args);
    const std::int64_t each = call.tiles();
    const Board board(call.rows, each, args.scratch.data, order::Packed<Value<T>>::words);
    const unsigned blocks = grid_x(call.rows * each, 1);
    if (rows_are_short(args))
      short_rows<<<grid_x(call.rows, warps), threads, 0, stream>>>(call, op);
    else if (each == 1)
      tiles<false><<<blocks, threads, 0, stream>>>(call, board, op);
    else
      tiles<true><<<blocks, threads, 0, stream>>>(call, board, op);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t board_bytes(const Args& args) {
  std::int64_t bytes = 0;
  if (args.x.size() > 0)
    dispatch_scan(
        args, [&](auto tag, auto) { bytes = board_bytes_of<typename decltype(tag)::type>(args); });
  return bytes;
}

WARPATH_RUNG(Args, launch, .supports = no_segments, .scratch = board_bytes, .zeroed = board_bytes);

}  // namespace
}  // namespace warpath::scan
