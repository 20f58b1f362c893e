// Stream-k: the tiles of the last round are cut along k, and their parts handed on through scratch memory.
#pragma once
#include "hopper_pairs.h"
#include "hopper_parts.cuh"
#include "hopper_rest.cuh"
#include "hopper_stream.h"

namespace warpath::matmul::hopper {

// What it costs to hand sums on, in steps along k: to leave a part's in scratch memory, when all SMs do, and add up its
// slice; to share out a round and a bit, whose workers read a and b at different places. As an H200 takes them.
inline constexpr int leave_steps = 16, uneven_steps = 96;
// And a round of narrower tiles, beside three quarters of a round.
inline constexpr int narrow_steps = 4;
inline constexpr int most_parts = 16;

// A gradient of weights has few tiles and a long k: where more of these fit into a round, they are the better ones. Three
// warp groups of 64 rows each.
template <class T>
using SquareTile = Tile<T, 192, 192, 4, true, true, 2>;

template <class Tile>
__device__ __forceinline__ void hand_on(const typename Tile::Sums& sums,
                                        const ScratchSums<Tile>& scratch, int place, int group) {
  scratch.leave(sums, place, group);
  if (threadIdx.x % ptx::warp_group == 0) ptx::store_release(scratch.flag(place, group), 1);
}

template <class Tile>
__device__ __forceinline__ void take_over(typename Tile::Sums& sums,
                                          const ScratchSums<Tile>& scratch, int place, int group) {
  unsigned* const flag = scratch.flag(place, group);
  if (threadIdx.x % ptx::warp_group == 0) {
    while (ptx::load_acquire(flag) == 0) __nanosleep(20);
    ptx::store_release(flag, 0);  // as the next launch wants it
  }
  ptx::sync_some(first_free_barrier + group, ptx::warp_group);
  const float4* const from = scratch.of(place, group);
#pragma unroll
  for (int i = 0; i < Tile::n / 8; ++i) {
    const float4 part = __ldcg(&from[i * ptx::warp_group]);
    sums[4 * i] += part.x;
    sums[4 * i + 1] += part.y;
    sums[4 * i + 2] += part.z;
    sums[4 * i + 3] += part.w;
  }
}

template <class Tile>
__global__ void __launch_bounds__(run_threads<Tile>, 1)
    stream_k(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
             const __grid_constant__ CUtensorMap d, Shape shape, SharedWork work,
             ScratchSums<Tile> scratch, Output<typename Tile::T> out) {
  constexpr int cluster = Tile::cluster;
  extern __shared__ __align__(1024) unsigned char shared[];
  auto& block = storage_in<RunStorage<Tile>>(shared);
  if (threadIdx.x == 0) block.ring.init(cluster * warps_of(Tile::groups));
  ptx::sync_cluster();  // nobody reaches into a block that is not there

  Turn<Tile::stages> turn;
  PieceWalk walk(work, blockIdx.x / cluster);
  Piece piece{};
  if (is_producer()) {
    ptx::give_registers<producer_registers>();
    if (threadIdx.x == 0)
      while (walk.next(piece))
        produce(Loads<Tile>(block.ring, a, b, shape, shape.order.at(piece.tile)), turn,
                piece.k_begin, piece.k_end);
    __syncwarp();
    leave_sharers<Tile>();
  } else {
    ptx::take_registers<consumer_registers>();
    const int group = consumer_group(), rank = blockIdx.x % cluster;
    bool more = walk.next(piece);
    while (more) {
      TilePlace at{};
      Piece next{};
      typename Tile::Sums sums;
      auto consumer = sharing_consumer<Tile>(block.ring, turn, sums, group);
      consumer.begin();
      const auto look_ahead = [&] {
        at = settled_place<Tile>(shape, piece.tile);
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
        hand_on(sums, scratch, piece.place * cluster + rank, group);
      } else {
        for (int p = piece.first_place; p < piece.place; ++p)
          take_over(sums, scratch, p * cluster + rank, group);
        store_tile<Tile>(sums, out, block, d, at);
      }
      piece = next;
    }
    leave_sharers<Tile>();
    finish_stores();
  }
  await_sharers<Tile>();
}

// How the tiles are shared out among the clusters the GPU holds: whole, the last round narrower, in equal parts, or a round
// and a bit in shares.
struct Plan {
  SharedWork shares;
  EqualParts parts;
  std::int64_t time;  // in steps along k of 128 x 256
  WholePart whole{};

  bool in_parts() const { return parts.parts > 1; }
  int places() const { return in_parts() ? parts.pieces() : shares.places(); }
};

template <class Tile>
Plan plan_of(const Args& args) {
  const Shape shape = shape_of<Tile, Tile::cluster>(args, 1);
  const int tiles = shape.order.tiles(), steps = shape.steps;
  const int all = int(held_clusters<Tile::cluster>());
  const EqualParts whole{tiles, steps, 1, std::min(tiles, all)};
  Plan best{{tiles, steps, 0, whole.workers}, whole, ceil_div(tiles, all) * std::int64_t(steps)};
  if (const WholePart part = whole_part<Tile>(args))
    if (const std::int64_t time = best.time - steps / 4 + narrow_steps; time < best.time) {
      best.time = time;
      best.whole = part;
    }
  // A full round joins the rest: a share is then one tile and a bit, and most tiles have two workers. A single block has
  // but a few rows of tiles: not worth the compiling.
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

// f(Tag<tile>): two blocks, one above the other, share b where there are rows enough for both.
template <class F>
void by_tile(const Args& args, F f) {
  const std::int64_t rows = ceil_div(args.m(), 128);
  const bool pairs = rows % 2 == 0 || rows >= 8;
  by_form(args, [&]<class T, bool A, bool B>(Form<T, A, B>) {
    using Pair = RunTile<2, T, A, B>;
    using Single = RunTile<1, T, A, B>;
    if constexpr (A && B) {
      const Plan square = plan_of<SquareTile<T>>(args);
      const std::int64_t others = (pairs ? plan_of<Pair>(args) : plan_of<Single>(args)).time;
      if (square.in_parts() && square.time < others) return f(Tag<SquareTile<T>>{});
    }
    pairs ? f(Tag<Pair>{}) : f(Tag<Single>{});
  });
}

std::int64_t stream_scratch(const Args& args) {
  std::int64_t bytes = 0;
  if (!supports(args).empty()) return bytes;
  by_tile(args, [&]<class Block>(Tag<Block>) {
    const std::int64_t places = std::int64_t(plan_of<Block>(args).places()) * Block::cluster;
    WARPATH_CHECK(Block::groups * places <= most_flags, "matmul: stream-k has too many parts");
    if (places > 0)
      bytes = (most_flags + places * ScratchSums<Block>::floats) * std::int64_t(sizeof(float));
  });
  return bytes;
}

std::int64_t stream_zeroed(const Args& args) {
  return stream_scratch(args) > 0 ? most_flags * std::int64_t(sizeof(unsigned)) : 0;
}

template <class Block>
void launch_shares(const Args& args, const SharedWork& work, cudaStream_t stream) {
  run_launch<Block>(stream)(stream_k<Block>, unsigned(work.workers), map_of_a<Block>(args),
                            map_of_b<Block>(args), map_of_d(args),
                            shape_of<Block, Block::cluster>(args, run_band / Block::cluster), work,
                            ScratchSums<Block>(args), output_of<typename Block::T>(args));
}

void stream_launch(const Args& args, cudaStream_t stream) {
  by_tile(args, [&]<class Block>(Tag<Block>) {
    const Plan plan = plan_of<Block>(args);
    if (plan.in_parts()) return launch_parts<Block>(args, plan.parts, stream);
    if constexpr (Block::cluster == 1) {
      launch_whole<Block>(args, stream);
    } else if constexpr (Block::groups == 2) {
      if constexpr (sizeof(typename Block::T) == 2)
        if (plan.whole) return launch_rest<Block>(args, plan.whole, stream);
      plan.places() > 0 ? launch_shares<Block>(args, plan.shares, stream)
                        : launch_pairs(args, stream);
    }
  });
}

}  // namespace warpath::matmul::hopper
