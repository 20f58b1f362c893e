// Stream-k: the tiles of the last round are cut along k, and their parts handed on through scratch memory.
#pragma once
#include "core/ptx/order.cuh"
#include "hopper_whole.cuh"

namespace warpath::matmul::hopper {

inline constexpr int tile_floats = 128 * 256;
// What it costs to hand sums on, in steps along k: to leave 128 KiB in scratch memory when all SMs do, to take them from
// there; and to share out a round and a bit, whose workers read a and b at different places. As an H200 takes them.
inline constexpr int leave_steps = 10, take_steps = 2, uneven_steps = 96;
inline constexpr int most_parts = 16;

// The places in scratch: the sums of two warp groups, and a flag for each. The flags lie in front, where no other shape's
// sums ever are: they must be zero between launches.
inline constexpr int most_flags = 1 << 14;
struct Parts {
  float* sums;
  unsigned* ready;

  __device__ __forceinline__ float4* of(int place, int group) const {
    return reinterpret_cast<float4*>(sums + std::int64_t(place) * tile_floats) +
           group * (tile_floats / 2 / 4) + threadIdx.x % ptx::warp_group;
  }
  __device__ __forceinline__ unsigned* flag(int place, int group) const {
    return ready + 2 * place + group;
  }
};

template <int Count>
__device__ __forceinline__ void hand_on(const float (&sums)[Count], const Parts& parts, int place,
                                        int group) {
  float4* const to = parts.of(place, group);
#pragma unroll
  for (int i = 0; i < Count / 4; ++i)
    to[i * ptx::warp_group] = {sums[4 * i], sums[4 * i + 1], sums[4 * i + 2], sums[4 * i + 3]};
  ptx::sync_some(first_free_barrier + group, ptx::warp_group);
  if (threadIdx.x % ptx::warp_group == 0) ptx::store_release(parts.flag(place, group), 1);
}

template <int Count>
__device__ __forceinline__ void take_over(float (&sums)[Count], const Parts& parts, int place,
                                          int group) {
  unsigned* const flag = parts.flag(place, group);
  if (threadIdx.x % ptx::warp_group == 0) {
    while (ptx::load_acquire(flag) == 0) __nanosleep(20);
    ptx::store_release(flag, 0);  // as the next launch wants it
  }
  ptx::sync_some(first_free_barrier + group, ptx::warp_group);
  const float4* const from = parts.of(place, group);
#pragma unroll
  for (int i = 0; i < Count / 4; ++i) {
    const float4 part = __ldcg(&from[i * ptx::warp_group]);
    sums[4 * i] += part.x;
    sums[4 * i + 1] += part.y;
    sums[4 * i + 2] += part.z;
    sums[4 * i + 3] += part.w;
  }
}

template <class Tile>
__global__ void __launch_bounds__(run_threads, 1)
    stream_k(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
             const __grid_constant__ CUtensorMap d, Shape shape, SharedWork work, Parts parts,
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
    ptx::give_registers<producer_registers>();
    if (threadIdx.x == 0)
      while (walk.next(piece))
        produce_shared(block.ring, turn, a, b, shape, shape.order.at(piece.tile), piece.k_begin,
                       piece.k_end);
  } else {
    ptx::take_registers<consumer_registers>();
    const int group = consumer_group(), rank = blockIdx.x % cluster;
    bool more = walk.next(piece);
    while (more) {
      TilePlace at{};
      Piece next{};
      typename Tile::Sums sums;
      consume(
          block.ring, turn, sums, group, piece.k_end - piece.k_begin,
          [&](int stage) { free_shared(block.ring, stage); },
          [&] {
            at = settled_place<Tile>(shape, piece.tile);
            more = walk.next(next);
          });
      if (piece.k_end < work.steps) {
        hand_on(sums, parts, piece.place * cluster + rank, group);
      } else {
        for (int p = piece.first_place; p < piece.place; p += piece.place_step)
          take_over(sums, parts, p * cluster + rank, group);
        store_tile<Tile>(sums, out, block, d, at);
      }
      piece = next;
    }
    finish_stores();
  }
  sync_sharers<Tile>();
}

// How the tiles are shared out among the clusters the GPU holds. Times are in steps along k.
template <class Tile>
SharedWork share(const Shape& shape) {
  const int tiles = shape.order.tiles(), steps = shape.steps;
  const int all = std::max<int>(1, int(multiprocessors()) / Tile::cluster);
  SharedWork best{tiles, steps, 0, std::min(tiles, all)};
  std::int64_t shortest = ceil_div(tiles, all) * std::int64_t(steps);
  const auto consider = [&](const SharedWork& work, std::int64_t time) {
    if (time < shortest) shortest = time, best = work;
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
  return best;
}

// f(Tag<tile>): two blocks, one above the other, share b where there are rows enough for both.
template <class F>
void by_cluster(const Args& args, F f) {
  const std::int64_t rows = ceil_div(args.m(), 128);
  const bool pairs = rows % 2 == 0 || rows >= 8;
  by_form(args, [&]<class T, bool A, bool B>(Form<T, A, B>) {
    if (pairs)
      f(Tag<RunTile<2, T, A, B>>{});
    else
      f(Tag<RunTile<1, T, A, B>>{});
  });
}

inline std::int64_t stream_scratch(const Args& args) {
  std::int64_t bytes = 0;
  if (!supports(args).empty()) return bytes;
  by_cluster(args, [&]<class Block>(Tag<Block>) {
    const SharedWork work = share<Block>(shape_of<Block, Block::cluster>(args, 1));
    const std::int64_t places = std::int64_t(work.places()) * Block::cluster;
    WARPATH_CHECK(2 * places <= most_flags, "matmul: stream-k has too many parts");
    if (places > 0) bytes = (most_flags + places * tile_floats) * std::int64_t(sizeof(float));
  });
  return bytes;
}

// The flags, which lie before the sums.
inline std::int64_t stream_zeroed(const Args& args) {
  return stream_scratch(args) > 0 ? most_flags * std::int64_t(sizeof(unsigned)) : 0;
}

inline void stream_launch(const Args& args, cudaStream_t stream) {
  by_cluster(args, [&]<class Block>(Tag<Block>) {
    const Shape shape = shape_of<Block, Block::cluster>(args, run_band / Block::cluster);
    const SharedWork work = share<Block>(shape);
    if (work.places() == 0) return launch_whole<Block>(args, stream);
    auto* const flags = static_cast<unsigned*>(args.scratch.data);
    const Parts parts{reinterpret_cast<float*>(flags + most_flags), flags};
    run_launch<Block>(stream)(stream_k<Block>, unsigned(work.workers), map_of_a<Block>(args),
                              map_of_b<Block>(args), map_of_d(args), shape, work, parts,
                              output_of<typename Block::T>(args));
  });
}

}  // namespace warpath::matmul::hopper
