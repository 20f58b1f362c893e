// Stream-k: the tiles of the last round are cut along k, and their parts handed on through scratch memory.
#pragma once
#include "core/ptx/order.cuh"
#include "hopper_pairs.h"
#include "hopper_stream.h"
#include "hopper_whole.cuh"

namespace warpath::matmul::hopper {

// What it costs to hand sums on, in steps along k: to leave 128 KiB in scratch memory when all SMs do, to take them from
// there; and to share out a round and a bit, whose workers read a and b at different places. As an H200 takes them.
inline constexpr int leave_steps = 10, take_steps = 2, uneven_steps = 96;
inline constexpr int most_parts = 16;

// A gradient of weights has few tiles and a long k: where more of these fit into a round, they are the better ones. Three
// warp groups of 64 rows each.
template <class T>
using SquareTile = Tile<T, 192, 192, 3, true, true>;

// The places in scratch: the sums of a tile's warp groups, and a flag for each.
template <class Tile>
struct Parts {
  static constexpr int floats = Tile::m * Tile::n;  // of a place
  float* sums;
  unsigned* ready;

  explicit Parts(const Args& args)
      : sums(static_cast<float*>(args.scratch.data) + most_flags),
        ready(static_cast<unsigned*>(args.scratch.data)) {}
  __device__ __forceinline__ float4* of(int place, int group) const {
    return reinterpret_cast<float4*>(sums + std::int64_t(place) * floats) +
           group * (floats / Tile::groups / 4) + threadIdx.x % ptx::warp_group;
  }
  __device__ __forceinline__ unsigned* flag(int place, int group) const {
    return ready + Tile::groups * place + group;
  }
};

template <class Tile>
__device__ __forceinline__ void hand_on(const typename Tile::Sums& sums, const Parts<Tile>& parts,
                                        int place, int group) {
  float4* const to = parts.of(place, group);
#pragma unroll
  for (int i = 0; i < Tile::n / 8; ++i)
    to[i * ptx::warp_group] = {sums[4 * i], sums[4 * i + 1], sums[4 * i + 2], sums[4 * i + 3]};
  ptx::sync_some(first_free_barrier + group, ptx::warp_group);
  if (threadIdx.x % ptx::warp_group == 0) ptx::store_release(parts.flag(place, group), 1);
}

template <class Tile>
__device__ __forceinline__ void take_over(typename Tile::Sums& sums, const Parts<Tile>& parts,
                                          int place, int group) {
  unsigned* const flag = parts.flag(place, group);
  if (threadIdx.x % ptx::warp_group == 0) {
    while (ptx::load_acquire(flag) == 0) __nanosleep(20);
    ptx::store_release(flag, 0);  // as the next launch wants it
  }
  ptx::sync_some(first_free_barrier + group, ptx::warp_group);
  const float4* const from = parts.of(place, group);
#pragma unroll
  for (int i = 0; i < Tile::n / 8; ++i) {
    const float4 part = __ldcg(&from[i * ptx::warp_group]);
    sums[4 * i] += part.x;
    sums[4 * i + 1] += part.y;
    sums[4 * i + 2] += part.z;
    sums[4 * i + 3] += part.w;
  }
}

// Of a thread in each role, 512 for each of a warp group in all.
template <class Tile>
inline constexpr int giver_registers = Tile::groups == 2 ? producer_registers : 32;
template <class Tile>
inline constexpr int taker_registers = Tile::groups == 2 ? consumer_registers : 160;

template <class Tile>
__global__ void __launch_bounds__(run_threads<Tile>, 1)
    stream_k(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
             const __grid_constant__ CUtensorMap d, Shape shape, SharedWork work, Parts<Tile> parts,
             Output<typename Tile::T> out) {
  constexpr int cluster = Tile::cluster;
  extern __shared__ __align__(1024) unsigned char shared[];
  auto& block = storage_in<RunStorage<Tile>>(shared);
  if (threadIdx.x == 0) block.ring.init(cluster * warps_of(Tile::groups));
  sync_sharers<Tile>();

  Turn<Tile::stages> turn;
  PieceWalk walk(work, blockIdx.x / cluster);
  Piece piece{};
  if (is_producer()) {
    ptx::give_registers<giver_registers<Tile>>();
    if (threadIdx.x == 0)
      while (walk.next(piece))
        produce(Loads<Tile>(block.ring, a, b, shape, shape.order.at(piece.tile)), turn,
                piece.k_begin, piece.k_end);
    __syncwarp();
    leave_sharers<Tile>();
  } else {
    ptx::take_registers<taker_registers<Tile>>();
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
        hand_on(sums, parts, piece.place * cluster + rank, group);
      } else {
        for (int p = piece.first_place; p < piece.place; p += piece.place_step)
          take_over(sums, parts, p * cluster + rank, group);
        store_tile<Tile>(sums, out, block, d, at);
      }
      piece = next;
    }
    leave_sharers<Tile>();
    finish_stores();
  }
  await_sharers<Tile>();
}

struct Plan {
  SharedWork work;
  std::int64_t time;  // in steps along k of 128 x 256
};

// How the tiles are shared out among the clusters the GPU holds.
template <class Tile>
Plan share(const Shape& shape) {
  const int tiles = shape.order.tiles(), steps = shape.steps;
  const int all = std::max<int>(1, int(multiprocessors()) / Tile::cluster);
  Plan best{{tiles, steps, 0, std::min(tiles, all)}, ceil_div(tiles, all) * std::int64_t(steps)};
  const auto consider = [&](const SharedWork& work, std::int64_t time) {
    if (time < best.time) best = {work, time};
  };
  // A full round joins the rest: a share is then one tile and a bit, and most tiles have two workers.
  if (const int rest = tiles % all; tiles > all && rest > 0)
    consider({tiles, steps, rest + all, all},
             ceil_div(std::int64_t(tiles) * steps, all) + uneven_steps);
  if (tiles < all)
    for (int parts = 2; parts <= std::min(most_parts, steps); ++parts) {
      const std::int64_t rounds = ceil_div(std::int64_t(tiles) * parts, all);
      const std::int64_t time =
          rounds * (ceil_div(steps, parts) + leave_steps) + (parts - 1) * take_steps;
      consider({tiles, steps, 0, int(std::min<std::int64_t>(tiles * parts, all)), parts}, time);
    }
  best.time = best.time * Tile::m * Tile::n / (128 * 256);
  if (Tile::cluster == 1) best.time += best.time / 20;  // for what a pair of blocks reads once
  return best;
}
template <class Tile>
Plan share(const Args& args) {
  return share<Tile>(shape_of<Tile, Tile::cluster>(args, 1));
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
      const Plan square = share<SquareTile<T>>(args);
      const std::int64_t others = pairs ? share<Pair>(args).time : share<Single>(args).time;
      if (square.work.places() > 0 && square.time < others) return f(Tag<SquareTile<T>>{});
    }
    pairs ? f(Tag<Pair>{}) : f(Tag<Single>{});
  });
}

std::int64_t stream_scratch(const Args& args) {
  std::int64_t bytes = 0;
  if (!supports(args).empty()) return bytes;
  by_tile(args, [&]<class Block>(Tag<Block>) {
    const std::int64_t places = std::int64_t(share<Block>(args).work.places()) * Block::cluster;
    WARPATH_CHECK(Block::groups * places <= most_flags, "matmul: stream-k has too many parts");
    if (places > 0)
      bytes = (most_flags + places * Parts<Block>::floats) * std::int64_t(sizeof(float));
  });
  return bytes;
}

std::int64_t stream_zeroed(const Args& args) {
  return stream_scratch(args) > 0 ? most_flags * std::int64_t(sizeof(unsigned)) : 0;
}

void stream_launch(const Args& args, cudaStream_t stream) {
  by_tile(args, [&]<class Block>(Tag<Block>) {
    const Shape shape = shape_of<Block, Block::cluster>(args, run_band / Block::cluster);
    const SharedWork work = share<Block>(shape).work;
    if (work.places() == 0) {
      if constexpr (Block::cluster == 2) return launch_pairs(args, stream);
      if constexpr (Block::groups == 2) return launch_whole<Block>(args, stream);
    }
    run_launch<Block>(stream)(stream_k<Block>, unsigned(work.workers), map_of_a<Block>(args),
                              map_of_b<Block>(args), map_of_d(args), shape, work,
                              Parts<Block>(args), output_of<typename Block::T>(args));
  });
}

}  // namespace warpath::matmul::hopper
