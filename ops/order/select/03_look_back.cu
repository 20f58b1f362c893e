// One launch, each element read once: ranks by ballots, the tile's start by look-back.
//
// What changed: a warp takes 256 neighbouring elements, 32 at a time. A ballot shows all lanes who keeps, and the bits
// below a lane are its rank: no shuffles. The tile's count is published, and look-back (ops/order/look_back.cuh) gives
// the number kept before the tile.
// Limit: small loads; kept elements of a warp lie together, but each warp's store covers only part of its cache lines.
#include "ops/order/look_back.cuh"
#include "ops/order/select/call.cuh"

namespace warpath::select {
namespace {

using order::Board;

constexpr int threads = 256, warps = threads / 32, items = 8, tile = threads * items;

template <class T>
__global__ void __launch_bounds__(threads) one_pass(Call<T> call, Board board) {
  __shared__ int slots[warps];
  __shared__ long long kept_before;
  __shared__ Board::Tile taken;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) taken = board.take();
  __syncthreads();
  const Board::Tile mine = taken;
  const std::int64_t first = mine.part * tile + warp * 32 * items + lane;

  unsigned kept[items];  // the lanes that keep, as bits
  int in_warp = 0;
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const std::int64_t i = first + k * 32;
    kept[k] = __ballot_sync(full_mask, i < call.n && call.keeps(i));
    in_warp += __popc(kept[k]);
  }
  if (lane == 0) slots[warp] = in_warp;
  __syncthreads();
  const int sums = warp_scan(lane < warps ? slots[lane] : 0, Sum{});
  const int all = shuffle(sums, 31), before = shuffle(sums, warp > 0 ? warp - 1 : 0);
  unsigned left = 0;
  if (warp == 0) {
    const auto start = (long long)board.look_back(mine, (unsigned long long)all, 0ULL, Sum{});
    if (lane == 0) {
      kept_before = start;
      left = board.leave(mine);
      if ((mine.part + 1) * tile >= call.n) *call.count = start + all;
    }
  }
  __syncthreads();

  long long at = kept_before + (warp > 0 ? before : 0);
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const std::int64_t i = first + k * 32;
    const bool keep = kept[k] >> lane & 1;
    if (i < call.n) call.put(i, keep, at + __popc(kept[k] & ((1u << lane) - 1)));
    at += __popc(kept[k]);
  }
  if (warp == 0) board.clean(mine, left);
}

std::int64_t tiles_of(const Args& args) {
  return std::max<std::int64_t>(1, ceil_div(args.x.size(), tile));
}

void launch(const Args& args, cudaStream_t stream) {
  dispatch_select(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t tiles = tiles_of(args);
    one_pass<<<grid_x(tiles, 1), threads, 0, stream>>>(Call<T>(args),
                                                       Board(1, tiles, args.scratch.data));
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t board_bytes(const Args& args) {
  return Board::bytes(1, tiles_of(args));
}

WARPATH_RUNG(Args, launch, .scratch = board_bytes, .zeroed = board_bytes);

}  // namespace
}  // namespace warpath::select
