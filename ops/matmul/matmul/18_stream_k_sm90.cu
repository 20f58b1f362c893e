// The last wave is shared out again, so that every SM works to the end.
//
// What changed: tiles that would leave SMs idle are laid end to end, all their steps along k, and
// cut into equal shares. Who has the end of a tile finishes it; the others hand their sums on
// through scratch memory, which the finisher adds in a fixed order: the result is the same from run
// to run. Handing sums on costs as much as some steps, so it is done only where it saves more.
// Where there are fewer tiles than SMs, every tile is cut into equal parts (split_tiles_sm90.cu);
// where few are left after many waves, they become more and narrower ones
// (narrow_last_wave_sm90.cu).
// Limit: power. The tensor cores are busy in 97 cycles of 100, but the clock falls from 1.98 to 1.6
// GHz under their load and that of the copies.
#include "ops/matmul/matmul/hopper_epilogue.cuh"
#include "ops/matmul/matmul/hopper_tiles.cuh"

namespace warpath::matmul {
namespace {

using namespace hopper;

// What it costs to hand sums on, in steps along k, as an H200 takes them: to leave a part's sums in
// scratch memory, when all SMs do, and add up a slice of them; to share out more than one wave,
// whose workers read a and b at different places.
constexpr int leave_steps = 16, uneven_steps = 96;
// What a wave of narrower tiles costs besides three quarters of a wave.
constexpr int narrow_steps = 4;
constexpr int most_parts = 16;

template <class Tile>
__device__ __forceinline__ void hand_on(const typename Tile::Sums& sums,
                                        const PartialSums<Tile>& partial, int slot, int group) {
  partial.write(sums, slot, group);
  if (threadIdx.x % ptx::warp_group == 0) ptx::store_release(partial.flag(slot, group), 1);
}

template <class Tile>
__device__ __forceinline__ void take_over(typename Tile::Sums& sums,
                                          const PartialSums<Tile>& partial, int slot, int group) {
  unsigned* const flag = partial.flag(slot, group);
  if (threadIdx.x % ptx::warp_group == 0) {
    while (ptx::load_acquire(flag) == 0) __nanosleep(20);
    ptx::store_release(flag, 0);  // as the next launch wants it
  }
  ptx::sync_some(first_free_barrier + group, ptx::warp_group);
  partial.add_to(sums, slot, group);
}

template <class Tile>
__global__ void __launch_bounds__(block_threads<Tile>, 1)
    stream_k(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
             const __grid_constant__ CUtensorMap d, Shape shape, SharedWork work,
             PartialSums<Tile> partial, Output<typename Tile::T> out) {
  constexpr int cluster = Tile::cluster;
  extern __shared__ __align__(1024) unsigned char shared[];
  auto& block = storage_in<StagedStorage<Tile>>(shared);
  if (threadIdx.x == 0) block.ring.init(cluster * warps_of(Tile::groups));
  ptx::sync_cluster();  // no access to a block that has not started

  PipelineState<Tile::stages> state;
  PieceWalk walk(work, blockIdx.x / cluster);
  Piece piece{};
  if (is_producer()) {
    ptx::give_registers<producer_registers>();
    if (threadIdx.x == 0)
      while (walk.next(piece))
        produce(Loads<Tile>(block.ring, a, b, shape, shape.order.at(piece.tile)), state,
                piece.k_begin, piece.k_end);
    __syncwarp();
    leave_cluster<Tile>();
  } else {
    ptx::take_registers<consumer_registers>();
    const int group = consumer_group(), rank = blockIdx.x % cluster;
    bool more = walk.next(piece);
    while (more) {
      TilePlace at{};
      Piece next{};
      typename Tile::Sums sums;
      auto consumer = cluster_consumer<Tile>(block.ring, state, sums, group);
      consumer.begin();
      const auto look_ahead = [&] {
        at = own_place_now<Tile>(shape, piece.tile);
        more = walk.next(next);
      };
      if (const int steps = piece.k_end - piece.k_begin; steps > 1) {
        consumer.step(look_ahead);
        consumer.steps(steps - 2);
      } else {
        look_ahead();
      }
      consumer.end();
      if (piece.k_end < work.steps) {
        hand_on(sums, partial, piece.slot * cluster + rank, group);
      } else {
        for (int p = piece.first_slot; p < piece.slot; ++p)
          take_over(sums, partial, p * cluster + rank, group);
        store_tile<Tile>(sums, out, block, d, at);
      }
      piece = next;
    }
    leave_cluster<Tile>();
    finish_stores();
  }
  await_cluster<Tile>();
}

// How the tiles are shared out among the clusters the GPU holds: whole, the last wave narrower, in
// equal parts, or more than one wave in shares.
struct Plan {
  SharedWork shares;
  EqualParts parts;
  std::int64_t time;  // in steps along k of 128 x 256
  WholePart whole{};

  bool in_parts() const { return parts.parts > 1; }
  int slots() const { return in_parts() ? parts.pieces() : shares.slots(); }
};

template <class Tile>
Plan plan_of(const Args& args) {
  const Shape shape = shape_of<Tile, Tile::cluster>(args, 1);
  const int tiles = shape.order.tiles(), steps = shape.steps;
  const int all = int(held_clusters<Tile::cluster>());
  const EqualParts whole{tiles, steps, 1, std::min(tiles, all)};
  Plan best{{tiles, steps, 0, whole.workers}, whole, ceil_div(tiles, all) * std::int64_t(steps)};
  if constexpr (Tile::cluster > 1 && Tile::groups == 2 && sizeof(typename Tile::T) == 2)
    if (const WholePart part = whole_part(args))
      if (const std::int64_t time = best.time - steps / 4 + narrow_steps; time < best.time) {
        best.time = time;
        best.whole = part;
      }
  // A full wave joins the rest: a share is then more than one tile, and most tiles have two
  // workers. A single block has few rows of tiles: not worth the compile time.
  if (const int rest = tiles % all; Tile::cluster > 1 && tiles > all && rest > 0)
    if (const std::int64_t time = ceil_div(std::int64_t(tiles) * steps, all) + uneven_steps;
        time < best.time)
      best = {{tiles, steps, rest + all, all}, whole, time};
  if (tiles < all)
    for (int parts = 2; parts <= std::min(most_parts, steps); ++parts) {
      const std::int64_t rounds = ceil_div(std::int64_t(tiles) * parts, all);
      const std::int64_t time = rounds * (ceil_div(steps, parts) + leave_steps);
      if (time < best.time)
        best = {best.shares, {tiles, steps, parts, std::min(tiles * parts, all)}, time};
    }
  best.time = best.time * Tile::m * Tile::n / (128 * 256);
  if (Tile::cluster == 1) best.time += best.time / 20;  // for what a pair of blocks reads once
  return best;
}

// Two blocks, one above the other, share b where there are rows enough for both.
TileKind kind_of(const Args& args) {
  const std::int64_t rows = ceil_div(args.m(), 128);
  TileKind kind = rows % 2 == 0 || rows >= 8 ? TileKind::pair : TileKind::single;
  by_form(args, [&]<class T, bool A, bool B>(Form<T, A, B>) {
    if constexpr (A && B) {
      const Plan square = plan_of<SquareTile<T>>(args);
      const std::int64_t others = (kind == TileKind::pair ? plan_of<WideTile<2, T, A, B>>(args)
                                                          : plan_of<WideTile<1, T, A, B>>(args))
                                      .time;
      if (square.in_parts() && square.time < others) kind = TileKind::square;
    }
  });
  return kind;
}

template <class Tile>
void launch_shares(const Args& args, const SharedWork& work, cudaStream_t stream) {
  staged_launch<Tile>(stream)(stream_k<Tile>, unsigned(work.workers), map_of_a<Tile>(args),
                              map_of_b<Tile>(args), map_of_d(args),
                              shape_of<Tile, Tile::cluster>(args, band_rows / Tile::cluster), work,
                              partial_sums<Tile>(args), output_of<typename Tile::T>(args));
}

}  // namespace

std::int64_t hopper::stream_scratch(const Args& args) {
  std::int64_t bytes = 0;
  if (!supports(args).empty()) return bytes;
  by_tile(args, kind_of(args), [&]<class Block>(Tag<Block>) {
    const std::int64_t slots = std::int64_t(plan_of<Block>(args).slots()) * Block::cluster;
    WARPATH_CHECK(Block::groups * slots <= most_flags, "matmul: stream-k has too many parts");
    if (slots > 0)
      bytes = (most_flags + slots * PartialSums<Block>::floats) * std::int64_t(sizeof(float));
  });
  return bytes;
}

std::int64_t hopper::stream_zeroed(const Args& args) {
  return stream_scratch(args) > 0 ? most_flags * std::int64_t(sizeof(unsigned)) : 0;
}

void hopper::stream_launch(const Args& args, cudaStream_t stream) {
  const TileKind kind = kind_of(args);
  by_tile(args, kind, [&]<class Block>(Tag<Block>) {
    const Plan plan = plan_of<Block>(args);
    if (plan.in_parts()) return launch_split_tiles(args, kind, plan.parts, stream);
    if constexpr (Block::cluster == 1) {
      launch_singles(args, stream);
    } else if constexpr (Block::groups == 2) {
      if (plan.whole) return launch_narrow_last_wave(args, plan.whole, stream);
      plan.slots() > 0 ? launch_shares<Block>(args, plan.shares, stream)
                       : launch_pairs(args, stream);
    }
  });
}

namespace {

WARPATH_RUNG(Args, stream_launch, .supports = supports, .preferred = enough_tiles,
             .scratch = stream_scratch, .zeroed = stream_zeroed);

}  // namespace
}  // namespace warpath::matmul
