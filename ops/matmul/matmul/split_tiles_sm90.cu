// Few tiles and a long k, for rung 18: every tile is cut along k into equal parts, and the workers
// of all its parts add up a slice of it each.
//
// A gradient of weights is such a product. Each part's sums go to scratch memory; when all parts of
// a tile are there, the worker of part p adds up the p-th slice of its columns and stores that. If
// one worker finished the tile alone, the others would wait for it to read all they had left.
#include "ops/matmul/matmul/hopper_epilogue.cuh"
#include "ops/matmul/matmul/hopper_tiles.cuh"

namespace warpath::matmul {
namespace {

using namespace hopper;

// Registers per thread in each role, 512 for all warp groups together.
template <class Tile>
inline constexpr int loader_registers = Tile::groups == 2 ? producer_registers : 32;
template <class Tile>
inline constexpr int multiplier_registers = Tile::groups == 2 ? consumer_registers : 160;

// 64 rows of a tile by `width` columns: what a warp group adds up at once, from as many parts at a
// time as its registers hold.
struct Slice {
  static constexpr int quads = 4, width = 8 * quads, parts_at_once = 4;
};

template <class Tile, class T>
__device__ __forceinline__ void add_slice(const PartialSums<Tile>& partial, const EqualParts& work,
                                          int slot, int slice, const Epilogue<T>& out, Corner at) {
  const int group = consumer_group();
  float sums[4 * Slice::quads] = {};
  for (int part = 0; part < work.parts; part += Slice::parts_at_once) {
    float4 got[Slice::parts_at_once][Slice::quads];
#pragma unroll
    for (int p = 0; p < Slice::parts_at_once; ++p) {
      const int from = slot + (part + p) * work.tiles * Tile::cluster;
      const float4* const quad = partial.of(from, group) + slice * Slice::quads * ptx::warp_group;
#pragma unroll
      for (int q = 0; q < Slice::quads; ++q)
        got[p][q] = part + p < work.parts ? __ldcg(&quad[q * ptx::warp_group]) : float4{};
    }
#pragma unroll
    for (int p = 0; p < Slice::parts_at_once; ++p)
#pragma unroll
      for (int q = 0; q < Slice::quads; ++q) {
        sums[4 * q] += got[p][q].x;
        sums[4 * q + 1] += got[p][q].y;
        sums[4 * q + 2] += got[p][q].z;
        sums[4 * q + 3] += got[p][q].w;
      }
  }
  at.column += slice * Slice::width;
  finish(sums, out, at);
  store_finished(sums, out, at);
}

template <class Tile>
__global__ void __launch_bounds__(block_threads<Tile>, 1)
    split_tiles(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                Shape shape, EqualParts work, PartialSums<Tile> partial,
                Epilogue<typename Tile::T> out) {
  constexpr int cluster = Tile::cluster;
  extern __shared__ __align__(1024) unsigned char shared[];
  auto& ring = storage_in<Ring<Tile>>(shared);
  const int first = blockIdx.x / cluster, rank = blockIdx.x % cluster;
  const auto k_begin = [&](int part) { return work.begin(part, shape.steps); };
  const auto loads = [&](int piece) {
    return Loads<Tile>(ring, a, b, shape, shape.order.at(work.tile(piece)));
  };
  const int early = open_ring(loads(first), cluster * warps_of(Tile::groups),
                              k_begin(work.part(first)), k_begin(work.part(first) + 1));

  PipelineState<Tile::stages> state;
  if (is_producer()) {
    ptx::give_registers<loader_registers<Tile>>();
    if (threadIdx.x == 0) {
      state.skip(early);
      for (int piece = first; piece < work.pieces(); piece += work.workers) {
        const int part = work.part(piece);
        produce(loads(piece), state, k_begin(part) + (piece == first ? early : 0),
                k_begin(part + 1));
      }
    }
    __syncwarp();
    leave_cluster<Tile>();
  } else {
    ptx::take_registers<multiplier_registers<Tile>>();
    const int group = consumer_group();
    const bool leader = threadIdx.x % ptx::warp_group == 0;
    for (int piece = first; piece < work.pieces(); piece += work.workers) {
      const int part = work.part(piece);
      typename Tile::Sums sums;
      consume(ring, state, sums, group, k_begin(part + 1) - k_begin(part),
              [&](int stage) { release_stage(ring, stage); });
      partial.write(sums, piece * cluster + rank, group);
      if (leader) ptx::add_in_order(partial.flag(work.tile(piece) * cluster + rank, group), 1);
    }
    leave_cluster<Tile>();
    for (int piece = first; piece < work.pieces(); piece += work.workers) {
      const int part = work.part(piece), slot = work.tile(piece) * cluster + rank;
      constexpr int slices = Tile::n / Slice::width;
      unsigned* const flag = partial.flag(slot, group);
      if (leader)
        while (ptx::load_acquire(flag) < unsigned(work.parts)) __nanosleep(20);
      ptx::sync_some(first_free_barrier + group, ptx::warp_group);
      const TilePlace at = own_place<cluster>(shape.order.at(work.tile(piece)));
      for (int slice = work.begin(part, slices); slice < work.begin(part + 1, slices); ++slice)
        add_slice(partial, work, slot, slice, out, corner_of<Tile>(at, group));
      // The last to leave a tile sets its flag as the next launch wants it.
      if (leader && ptx::add_in_order(flag, 1) == unsigned(2 * work.parts - 1))
        ptx::store_release(flag, 0);
    }
  }
  await_cluster<Tile>();
}

}  // namespace

void hopper::launch_split_tiles(const Args& args, TileKind kind, const EqualParts& work,
                                cudaStream_t stream) {
  by_tile(args, kind, [&]<class Tile>(Tag<Tile>) {
    const ClusterLaunch launch{Tile::cluster, block_threads<Tile>, storage_bytes<Ring<Tile>>,
                               stream, true};
    launch(split_tiles<Tile>, unsigned(work.workers), map_of_a<Tile>(args), map_of_b<Tile>(args),
           shape_of<Tile, Tile::cluster>(args, 1), work, partial_sums<Tile>(args),
           problem_of<typename Tile::T>(args).out);
  });
}

}  // namespace warpath::matmul
