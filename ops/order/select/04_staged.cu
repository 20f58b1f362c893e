// Sixteen bytes per load, four loads in flight; kept elements meet in shared memory and leave it side by side.
//
// What changed: a thread loads four vectors and keeps them in registers, so x is read once and nothing is tested twice.
// The counts of two vectors share a word, so two scans by shuffles rank four vectors. Kept elements are put into shared
// memory at their rank; from there the block stores them to neighbouring addresses, words of four bytes. With partition,
// the others fill the same array from its end.
// Limit: latency. Nothing of a tile is in flight while it looks back.
#include "ops/order/look_back.cuh"
#include "ops/order/select/tested.cuh"

namespace warpath::select {
namespace {

using order::Board;

constexpr int threads = 256, warps = threads / 32, vectors = 4;
template <class T>
inline constexpr int tile_of = threads* vectors* lanes_of_16<T>;  // 16 KiB

template <class T>
__global__ void __launch_bounds__(threads, sizeof(T) == 4 ? 4 : 3)
    staged(Call<T> call, Board board) {
  constexpr int E = lanes_of_16<T>, tile = tile_of<T>;
  __shared__ alignas(16) T places[tile];
  __shared__ int slots[warps];
  __shared__ long long kept_before;
  __shared__ Board::Tile taken;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) taken = board.take();
  __syncthreads();
  const Board::Tile mine = taken;
  const std::int64_t begin = mine.part * tile - skipped(call.x);    // of the tile
  const std::int64_t warp_begin = begin + warp * 32 * vectors * E;  // of the warp's part
  const bool inside = warp_begin >= 0 && warp_begin + 32 * vectors * E <= call.n;

  Tested<T> v[vectors];
#pragma unroll
  for (int k = 0; k < vectors; ++k) v[k].load(call, warp_begin + (k * 32 + lane) * E, inside);
  unsigned counts[vectors / 2];  // of two vectors each
#pragma unroll
  for (int k = 0; k < vectors; ++k) {
    v[k].test(call, warp_begin + (k * 32 + lane) * E);
    const unsigned c = __popc(v[k].kept) << (k % 2 * 16);
    counts[k / 2] = k % 2 == 0 ? c : counts[k / 2] | c;
  }
  int before[vectors], in_warp = 0;  // kept in the warp before the vector
#pragma unroll
  for (int k = 0; k < vectors; ++k) {
    if (k % 2 == 0) counts[k / 2] = warp_scan(counts[k / 2], Sum{});
    const int up_to = int(counts[k / 2] >> (k % 2 * 16) & 0xffff);
    before[k] = in_warp + up_to - __popc(v[k].kept);
    in_warp += shuffle(up_to, 31);
  }
  if (lane == 0) slots[warp] = in_warp;
  __syncthreads();
  const int sums = warp_scan(lane < warps ? slots[lane] : 0, Sum{});
  const int all = shuffle(sums, 31), warps_before = shuffle(sums, warp > 0 ? warp - 1 : 0);
  unsigned left = 0;
  if (warp == 0) {
    const auto start = (long long)board.look_back(mine, (unsigned long long)all, 0ULL, Sum{});
    if (lane == 0) {
      kept_before = start;
      left = board.leave(mine);
      if (begin + tile >= call.n) *call.count = start + all;
    }
  }

  const std::int64_t first = max(begin, std::int64_t(0));  // the tile's first element
#pragma unroll
  for (int k = 0; k < vectors; ++k) {
    int rank = (warp > 0 ? warps_before : 0) + before[k];
    const int place = int(warp_begin + (k * 32 + lane) * E - first);  // in the tile
#pragma unroll
    for (int e = 0; e < E; ++e) {
      if (v[k].kept >> e & 1)
        places[rank++] = v[k].in.at[e];
      else if (call.partition && v[k].exists >> e & 1)
        places[tile - 1 - (place + e - rank)] = v[k].in.at[e];
    }
  }
  __syncthreads();
  const long long start = kept_before;
  store_run<threads>(call.y + start, places, all);
  if (call.partition) {
    const int others = int(min(begin + tile, call.n) - first) - all;
    store_run<threads>(call.y + call.n - (first - start) - others, places + tile - others, others);
  }
  if (warp == 0) board.clean(mine, left);
}

void launch(const Args& args, cudaStream_t stream) {
  dispatch_select(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t tiles = tiles_of(args, tile_of<char>);
    staged<<<grid_x(tiles, 1), threads, 0, stream>>>(Call<T>(args),
                                                     Board(1, tiles, args.scratch.data));
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t board_bytes(const Args& args) {
  return Board::bytes(1, tiles_of(args, tile_of<char>));
}

WARPATH_RUNG(Args, launch, .scratch = board_bytes, .zeroed = board_bytes);

}  // namespace
}  // namespace warpath::select
