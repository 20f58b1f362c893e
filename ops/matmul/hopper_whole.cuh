// A persistent kernel whose clusters take whole tiles, one after the other.
#pragma once
#include "hopper_run.cuh"

namespace warpath::matmul::hopper {

inline constexpr int run_band = 16;  // in tiles of 128 rows

template <class Tile>
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
    LateHalf<Tile> late;
    for (int tile = first; tile < tiles; tile += stride) {
      TilePlace at{};
      typename Tile::Sums sums;
      consume(
          block.ring, turn, sums, group, shape.steps,
          [&](int stage) { free_shared(block.ring, stage); },
          [&] {
            at = settled_place<Tile>(shape, tile);
            late.store(block.staging[group], d, group);
          });
      store_tile<Tile>(sums, out, block, d, at, late);
    }
    late.store(block.staging[group], d, group);
    finish_stores();
  }
  sync_sharers<Tile>();
}

template <class Tile>
void launch_whole(const Args& args, cudaStream_t stream) {
  const Shape shape = shape_of<Tile, Tile::cluster>(args, run_band / Tile::cluster);
  const unsigned clusters =
      std::min<unsigned>(shape.order.tiles(), std::max(1u, multiprocessors() / Tile::cluster));
  run_launch<Tile>(stream)(whole_tiles<Tile>, clusters, map_of_a<Tile>(args), map_of_b<Tile>(args),
                           map_of_d(args), shape, output_of<typename Tile::T>(args));
}

}  // namespace warpath::matmul::hopper
