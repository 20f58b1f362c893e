// d leaves by TMA too.
//
// What changed: the sums go to shared memory in patches of 64 x 128 bytes, and the engine writes
// them to d in full lines while the consumers are back at the next tile. For small k, the per-tile
// overhead dominates. So in the usual case, 16-bit results that the engine stores, a finished tile
// stays in registers, rounded, and one patch of it is stored per step of the next tile's products:
// all at once they would keep the engine from loading. Rows of d that the engine cannot take are
// written by the threads. The first loads are issued before the two blocks of the cluster have met.
// Limit: the last wave. When the tiles do not divide by the number of SMs, some SMs have nothing to
// do while the others work on the rest.
#include "ops/matmul/matmul/hopper_epilogue.cuh"
#include "ops/matmul/matmul/hopper_tiles.cuh"

namespace warpath::matmul {
namespace {

using namespace hopper;

// The usual case has kernels of its own, by `way`: other code beside it takes registers, and is
// jumped over at every tile.
template <class Tile, Way way>
__global__ void __launch_bounds__(block_threads<Tile>, 1)
    staged(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
           const __grid_constant__ CUtensorMap d, Shape shape, Output<typename Tile::T> out) {
  constexpr int cluster = Tile::cluster;
  extern __shared__ __align__(1024) unsigned char shared[];
  auto& block = storage_in<StagedStorage<Tile>>(shared);
  const int tiles = shape.order.tiles(), first = blockIdx.x / cluster;
  const int stride = gridDim.x / cluster;
  const auto loads = [&](int tile) {
    return Loads<Tile>(block.ring, a, b, shape, shape.order.at(tile));
  };
  const int early = open_ring(loads(first), cluster * warps_of(Tile::groups), 0, shape.steps);

  PipelineState<Tile::stages> state;
  if (is_producer()) {
    ptx::give_registers<producer_registers>();
    if (threadIdx.x == 0) {
      state.skip(early);
      for (int tile = first; tile < tiles; tile += stride)
        produce(loads(tile), state, tile == first ? early : 0, shape.steps);
    }
    __syncwarp();
    leave_cluster<Tile>();
  } else {
    ptx::take_registers<consumer_registers>();
    const int group = consumer_group();
    Staging& staging = block.staging[group];
    KeptTile<Tile> kept;
    for (int tile = first; tile < tiles; tile += stride) {
      typename Tile::Sums sums;
      auto consumer = cluster_consumer<Tile>(block.ring, state, sums, group);
      if constexpr (way == Way::any) {
        consumer.begin();
        const TilePlace at = own_place_now<Tile>(shape, tile);
        consumer.steps(shape.steps - 1);
        consumer.end();
        store_tile<Tile>(sums, out, block, d, at);
      } else {
        const TilePlace at =
            multiply_and_store<Tile>(consumer, shape, tile, kept, staging, d, group);
        if constexpr (way == Way::gelu)
          finish_gelu(sums, out.epilogue, corner_of<Tile>(at, group));
        else if constexpr (way == Way::finished)
          finish(sums, out.epilogue, corner_of<Tile>(at, group));
        kept.keep(sums, at);
      }
    }
    leave_cluster<Tile>();
    if constexpr (way != Way::any) kept.store_last(block.ring, d, group);
    finish_stores();
  }
  await_cluster<Tile>();
}

template <class Tile>
void launch_staged(const Args& args, cudaStream_t stream) {
  const Shape shape = shape_of<Tile, Tile::cluster>(args, band_rows / Tile::cluster);
  const auto clusters = std::min<unsigned>(shape.order.tiles(), held_clusters<Tile::cluster>());
  const auto out = output_of<typename Tile::T>(args);
  const auto launch = [&](auto kernel) {
    staged_launch<Tile>(stream)(kernel, clusters, map_of_a<Tile>(args), map_of_b<Tile>(args),
                                map_of_d(args), shape, out);
  };
  // A single block has few rows of tiles: not worth the compile time.
  if constexpr (sizeof(typename Tile::T) == 2 && Tile::cluster > 1) {
    const bool kept = out.by_engine && !out.epilogue.to_float;
    if (kept && shape.steps > KeptTile<Tile>::patches)
      return out.epilogue.plain()      ? launch(staged<Tile, Way::plain>)
             : only_gelu(out.epilogue) ? launch(staged<Tile, Way::gelu>)
                                       : launch(staged<Tile, Way::finished>);
  }
  launch(staged<Tile, Way::any>);
}

}  // namespace

void hopper::launch_pairs(const Args& args, cudaStream_t stream) {
  by_form(args, [&]<class T, bool A, bool B>(Form<T, A, B>) {
    launch_staged<WideTile<2, T, A, B>>(args, stream);
  });
}

// For the rungs after this one, where d has few rows.
void hopper::launch_singles(const Args& args, cudaStream_t stream) {
  by_form(args, [&]<class T, bool A, bool B>(Form<T, A, B>) {
    launch_staged<WideTile<1, T, A, B>>(args, stream);
  });
}

namespace {

WARPATH_RUNG(Args, launch_pairs, .supports = supports, .preferred = enough_tiles);

}  // namespace
}  // namespace warpath::matmul
