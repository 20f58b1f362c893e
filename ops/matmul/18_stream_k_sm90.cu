// The last round is cut along k, so that every SM works to the end.
//
// What changed: tiles that would leave SMs idle are laid end to end, all their steps along k, and cut
// into equal shares. Who has the end of a tile finishes it; the others hand their sums on through
// scratch memory, which the finisher adds in a fixed order: the result is the same from run to run.
// Handing on costs what some steps cost, so it is done only where it saves more.
// Limit: the tensor cores, where k is long. Where it is short, the stores: both consumers work at the
// same tile, so nobody multiplies while its sums are written to shared memory.
#include "core/ptx/order.cuh"
#include "hopper_run.cuh"

namespace warpath::matmul {
namespace {

using namespace hopper;

constexpr int band = 8;  // in tiles of 128 rows
constexpr int tile_floats = 128 * 256;
// What it costs to hand sums on, in steps along k: 128 KiB written and read again at 1/132 of the
// memory rate, 8 us, against 0.6 us a step. Reckoned, not measured.
constexpr int hand_on_steps = 16;

// A worker's place in scratch: the sums of its two warp groups, and a flag for each.
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
  extern __shared__ unsigned char shared[];
  auto& block = storage_in<RunStorage<Tile>>(shared);
  if (threadIdx.x == 0) block.ring.init(cluster * warps_of(Tile::groups));
  sync_sharers<Tile>();

  Turn<Tile::stages> turn;
  PieceWalk walk(work, blockIdx.x / cluster);
  Piece piece;
  if (is_producer()) {
    ptx::give_registers<producer_registers>();
    if (threadIdx.x == 0)
      while (walk.next(piece))
        produce_shared(block.ring, turn, a, b, shape, shape.order.at(piece.tile), piece.k_begin,
                       piece.k_end);
  } else {
    ptx::take_registers<consumer_registers>();
    const int group = consumer_group(), rank = blockIdx.x % cluster;
    while (walk.next(piece)) {
      typename Tile::Sums sums;
      consume(block.ring, turn, sums, group, piece.k_end - piece.k_begin,
              [&](int stage) { free_shared(block.ring, stage); });
      if (piece.k_end < work.steps) {
        hand_on(sums, parts, walk.worker * cluster + rank, group);
        continue;
      }
      if (piece.k_begin > 0)
        for (int w = work.worker_at(piece.tile * work.steps); w < walk.worker; ++w)
          take_over(sums, parts, w * cluster + rank, group);
      store_tile<Tile>(sums, out, block, d, own_place<cluster>(shape.order.at(piece.tile)));
    }
    finish_stores();
  }
  sync_sharers<Tile>();
}

// How the tiles are shared out among the clusters the GPU holds.
template <class Tile>
SharedWork share(const Shape& shape) {
  const int tiles = shape.order.tiles(), steps = shape.steps;
  const int all = std::max<int>(1, int(multiprocessors()) / Tile::cluster);
  const int rounds = tiles / all, rest = tiles % all;
  const SharedWork whole{tiles, steps, 0, std::min(tiles, all)};
  if (rest == 0) return whole;
  const std::int64_t even = ceil_div(std::int64_t(tiles) * steps, all);
  if (std::int64_t(rounds + 1) * steps <= even + hand_on_steps) return whole;
  // A full round joins the rest: a share is then one tile and a bit, and most tiles have two workers.
  if (rounds > 0) return {tiles, steps, rest + all, all};
  // Fewer tiles than clusters: each tile in as many parts as there are clusters for it, none shorter than its price.
  const int parts = std::min(all / tiles, std::max(1, steps / hand_on_steps));
  return parts > 1 ? SharedWork{tiles, steps, tiles, tiles * parts} : whole;
}

// f(Tag<tile>) with the cluster that fits the size of the call: two blocks share b where that leaves every SM a tile.
template <class F>
void by_cluster(const Args& args, F f) {
  const std::int64_t tiles = args.batch() * ceil_div(args.m(), 128) * ceil_div(args.n(), 256);
  const bool pairs = args.m() > 128 && tiles > multiprocessors();
  by_form(args, [&]<class T, bool A, bool B>(Form<T, A, B>) {
    if (pairs)
      f(Tag<RunTile<2, T, A, B>>{});
    else
      f(Tag<RunTile<1, T, A, B>>{});
  });
}

std::int64_t scratch(const Args& args) {
  std::int64_t bytes = 0;
  if (!supports(args).empty()) return bytes;
  by_cluster(args, [&]<class Block>(Tag<Block>) {
    const SharedWork work = share<Block>(shape_of<Block, Block::cluster>(args, 1));
    const std::int64_t places = work.shared_tiles ? work.workers * Block::cluster : 0;
    bytes =
        places * (tile_floats * std::int64_t(sizeof(float)) + 2 * std::int64_t(sizeof(unsigned)));
  });
  return bytes;
}

void launch(const Args& args, cudaStream_t stream) {
  by_cluster(args, [&]<class Block>(Tag<Block>) {
    const Shape shape = shape_of<Block, Block::cluster>(args, band / Block::cluster);
    const SharedWork work = share<Block>(shape);
    auto* const sums = static_cast<float*>(args.scratch.data);
    const Parts parts{sums, reinterpret_cast<unsigned*>(sums + std::int64_t(work.workers) *
                                                                   Block::cluster * tile_floats)};
    run_launch<Block>(stream)(stream_k<Block>, unsigned(work.workers), map_of_a<Block>(args),
                              map_of_b<Block>(args), map_of_d(args), shape, work, parts,
                              output_of<typename Block::T>(args));
  });
}

WARPATH_RUNG(Args, launch, .supports = supports, .scratch = scratch, .zeroed_scratch = true);

}  // namespace
}  // namespace warpath::matmul
