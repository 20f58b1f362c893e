// Blocks that stay: the next tile is on its way while one is scanned, and one waits while its predecessors publish.
//
// What changed: as many blocks as fit take one tile after the other. Three tiles of each are in shared memory, in slots
// that belong to one thread alone, so copies into them need no barrier: one is being loaded, one is reduced to its sum,
// which is published, and one, published a round before, looks back and is stored. A block of 07 had nothing in flight
// while it looked back, and looked back at tiles that had just been published or not yet.
// Limit: the look-back, once per tile: rows of one tile (07), as many bytes, take two thirds of the time on an H200.
#include "core/ptx/cp_async.cuh"
#include "ops/order/scan/tile.cuh"

namespace warpath::scan {
namespace {

using order::Board;

constexpr int block = 512, block_warps = block / 32;
constexpr int long_tile = block * vectors;  // vectors: 32 KiB
constexpr int stages = 3;
constexpr int ring_bytes = stages * long_tile * 16;  // 96 KiB: two blocks on an SM

// A thread's slots of one stage.
template <class T, class C>
struct Stage {
  static constexpr int E = lanes_of_16<T>;
  Vector<T, E>* slots;

  __device__ __forceinline__ Stage(unsigned char* ring, int stage)
      : slots(reinterpret_cast<Vector<T, E>*>(ring) + stage * long_tile + threadIdx.x) {}

  // Elements outside of the row are identities. One group of copies, which may be empty.
  __device__ __forceinline__ void fetch(const Call<T>& call, Board::Tile tile) {
    if (tile.row >= 0) {
      const Row<T> row = call.row(tile.row);
      const std::int64_t first = first_vector(tile);
      const bool inside = row.inside(first);
      const T outside = narrow<T>(C::value(C::identity()));
#pragma unroll
      for (int k = 0; k < vectors; ++k) {
        const std::int64_t at = row.first(WarpPart<T, C>::place(first, k));
        if (inside) {
          ptx::copy_async<16>(ptx::shared_address(slots + k * block), row.x + at);
        } else {
          Vector<T, E> v;
#pragma unroll
          for (int e = 0; e < E; ++e) v.at[e] = row.has(at + e) ? row.x[at + e] : outside;
          slots[k * block] = v;
        }
      }
    }
    ptx::copy_async_commit();
  }

  __device__ __forceinline__ void read(WarpPart<T, C>& part, bool reverse) const {
#pragma unroll
    for (int k = 0; k < vectors; ++k) {
      part.in[k] = slots[k * block];
      if (reverse) part.turn(k);
    }
  }

  // Of the warp's part.
  static __device__ __forceinline__ std::int64_t first_vector(Board::Tile tile) {
    return tile.part * long_tile + threadIdx.x / 32 * 32 * vectors;
  }
};

template <class T, class Op>
__global__ void __launch_bounds__(block, 2) prefetched(Call<T> call, Board board, Op) {
  using C = Plain<Op, T>;
  using Item = typename C::Item;
  extern __shared__ __align__(16) unsigned char ring[];
  __shared__ Item slots[block_warps];
  __shared__ Item before_tile;
  __shared__ Board::Tile taken[4];  // of rounds modulo 4
  __shared__ bool is_last;
  const C op;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const bool takes =
      threadIdx.x == block - 1;  // a thread of another warp than the one that looks back
  if (takes) {
    taken[0] = board.tile(board.ticket());
    taken[1] = board.tile(board.ticket());
    taken[3] = {-1, 0};  // the round before the first
  }
  __syncthreads();
  Stage<T, C>(ring, 0).fetch(call, taken[0]);
  Stage<T, C>(ring, 1).fetch(call, taken[1]);

  WarpPart<T, C> now, last;
  Item last_sum = C::identity();
  int stage = 0;
  for (int round = 0;; ++round) {
    const bool some = taken[round % 4].row >= 0;
    const unsigned ticket = takes ? board.ticket() : 0;
    Item sum = C::identity();
    if (some) {
      ptx::copy_async_wait<1>();
      Stage<T, C>(ring, stage).read(now, call.reverse);
      now.scan_sums(op);
      if (lane == 0) slots[warp] = now.all;
    }
    __syncthreads();
    if (some) {
      const Item sums = warp_scan<block_warps>(slots[lane % block_warps], op);
      sum = shuffle(sums, block_warps - 1);
      const Item start = warp > 0 ? shuffle(sums, warp - 1) : C::identity();
#pragma unroll
      for (int k = 0; k < vectors; ++k) now.before[k] = op(start, now.before[k]);
      if (threadIdx.x == 0) board.publish(taken[round % 4], sum);
    }

    // The tile of the round before. Its stage is that of the tile after the next one.
    const int other = stage == 0 ? stages - 1 : stage - 1;
    const Board::Tile tile = taken[(round + 3) % 4];
    if (round > 0 && warp == 0) {
      const Item before = board.before(tile, last_sum, C::identity(), op);
      if (lane == 0) before_tile = before;
    }
    if (takes) taken[(round + 2) % 4] = board.tile(ticket);
    __syncthreads();
    Stage<T, C> buffer(ring, other);
    if (round > 0) {
      buffer.read(last, call.reverse);
      last.store(call.row(tile.row), Stage<T, C>::first_vector(tile), before_tile, op);
    }
    if (!some) break;
    buffer.fetch(call, taken[(round + 2) % 4]);
    last_sum = sum;
#pragma unroll
    for (int k = 0; k < vectors; ++k) last.before[k] = now.before[k];
    stage = stage == stages - 1 ? 0 : stage + 1;
  }
  board.close(is_last);
}

template <class T>
std::int64_t tiles_of(const Args& args) {
  return Call<T>(args).tiles(long_tile);
}

void launch(const Args& args, cudaStream_t stream) {
  dispatch_scan(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    const Call<T> call(args);
    const std::int64_t each = tiles_of<T>(args);
    const auto kernel = prefetched<T, decltype(op)>;
    const auto most = static_cast<std::int64_t>(2 * multiprocessors());
    kernel<<<grid_x(std::min(call.rows * each, most), 1), block, allow_shared(kernel, ring_bytes),
             stream>>>(
        call, Board(call.rows, each, args.scratch.data, order::Packed<Value<T>>::words), op);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t board_bytes(const Args& args) {
  std::int64_t bytes = 0;
  dispatch_scan(args, [&](auto tag, auto) {
    using T = typename decltype(tag)::type;
    bytes = Board::bytes(args.x.shape[0], tiles_of<T>(args), order::Packed<Value<T>>::words);
  });
  return bytes;
}

std::string long_rows(const Args& args) {
  if (const std::string why = no_segments(args); !why.empty()) return why;
  std::int64_t each = 0;
  if (args.x.size() > 0)
    dispatch_scan(args,
                  [&](auto tag, auto) { each = tiles_of<typename decltype(tag)::type>(args); });
  if (each < 2) return "is for rows of more than 32 KiB; 07_vector takes shorter ones";
  return enough_shared_memory(ring_bytes + 1024);
}

WARPATH_RUNG(Args, launch, .supports = long_rows, .scratch = board_bytes, .zeroed = board_bytes);

}  // namespace
}  // namespace warpath::scan
