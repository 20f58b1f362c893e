// A persistent kernel whose clusters take whole tiles, one after the other.
//
// What a tile costs beside its products is what short sums along k are slow by. So in the usual case, 16-bit results that
// the copy engine stores, half of a tile waits in registers until the next one's first products run. That case has a
// kernel of its own: with the others' code beside it the compiler has no registers left for the half.
#pragma once
#include "hopper_run.cuh"

namespace warpath::matmul::hopper {

inline constexpr int run_band = 16;  // in tiles of 128 rows

template <class Tile, bool Usual>
__global__ void __launch_bounds__(run_threads, 1)
    whole_tiles(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                const __grid_constant__ CUtensorMap d, Shape shape, Output<typename Tile::T> out) {
  constexpr int cluster = Tile::cluster;
  extern __shared__ __align__(1024) unsigned char shared[];
  auto& block = storage_in<RunStorage<Tile>>(shared);
  if (threadIdx.x == 0) block.ring.init(cluster * warps_of(Tile::groups));
  sync_sharers<Tile>();

  Turn<Tile::stages> turn;
  const int tiles = shape.order.tiles(), first = blockIdx.x / cluster;
  const int stride = gridDim.x / cluster;
  if (is_producer()) {
    ptx::give_registers<producer_registers>();
    if (threadIdx.x == 0)
      for (int tile = first; tile < tiles; tile += stride)
        produce_shared(block.ring, turn, a, b, shape, shape.order.at(tile), 0, shape.steps);
  } else {
    ptx::take_registers<consumer_registers>();
    const int group = consumer_group();
    Staging& staging = block.staging[group];
    LateHalf<Tile> late;
    for (int tile = first; tile < tiles; tile += stride) {
      TilePlace at{};
      typename Tile::Sums sums;
      consume(
          block.ring, turn, sums, group, shape.steps,
          [&](int stage) { free_shared(block.ring, stage); },
          [&] {
            at = settled_place<Tile>(shape, tile);
            if constexpr (Usual) late.store(staging, d, group);
          });
      if constexpr (Usual) {
        finish(sums, out.epilogue, corner_of<Tile>(at, group));
        store_half<Tile>(sums, staging, d, at, group, late);
      } else {
        store_tile<Tile>(sums, out, block, d, at);
      }
    }
    if constexpr (Usual) late.store(staging, d, group);
    finish_stores();
  }
  sync_sharers<Tile>();
}

template <class Tile>
void launch_whole(const Args& args, cudaStream_t stream) {
  const Shape shape = shape_of<Tile, Tile::cluster>(args, run_band / Tile::cluster);
  const unsigned clusters =
      std::min<unsigned>(shape.order.tiles(), std::max(1u, multiprocessors() / Tile::cluster));
  const auto out = output_of<typename Tile::T>(args);
  const auto launch = [&](auto kernel) {
    run_launch<Tile>(stream)(kernel, clusters, map_of_a<Tile>(args), map_of_b<Tile>(args),
                             map_of_d(args), shape, out);
  };
  if constexpr (sizeof(typename Tile::T) == 2)
    if (out.by_engine && !out.epilogue.to_float) return launch(whole_tiles<Tile, true>);
  launch(whole_tiles<Tile, false>);
}

}  // namespace warpath::matmul::hopper
