// d leaves by the copy engine too.
//
// What changed: the sums go to shared memory in patches of 64 x 128 bytes, and the engine writes them
// to d in full lines while the consumers are back at the next tile: they wait for shared memory, not
// for the memory of d. Rows of d that the engine cannot take are still written by hand.
// Limit: the last round. When the tiles do not divide by the number of SMs, some SMs have nothing to
// do while the others work at the rest.
#include "hopper_run.cuh"

namespace warpath::matmul {
namespace {

using namespace hopper;

constexpr int band = 8, cluster = 2;

template <class Tile>
__global__ void __launch_bounds__(run_threads, 1)
    staged(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
           const __grid_constant__ CUtensorMap d, Shape shape, Output<typename Tile::T> out) {
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
    for (int tile = first; tile < tiles; tile += stride) {
      typename Tile::Sums sums;
      consume(block.ring, turn, sums, consumer_group(), shape.steps,
              [&](int stage) { free_shared(block.ring, stage); });
      store_tile<Tile>(sums, out, block, d, own_place<cluster>(shape.order.at(tile)));
    }
    finish_stores();
  }
  sync_sharers<Tile>();
}

void launch(const Args& args, cudaStream_t stream) {
  by_form(args, [&]<class T, bool A, bool B>(Form<T, A, B>) {
    using Block = RunTile<cluster, T, A, B>;
    const Shape shape = shape_of<Block, cluster>(args, band);
    const unsigned clusters =
        std::min<unsigned>(shape.order.tiles(), std::max(1u, multiprocessors() / cluster));
    run_launch<Block>(stream)(staged<Block>, clusters, map_of_a<Block>(args), map_of_b<Block>(args),
                              map_of_d(args), shape, output_of<T>(args));
  });
}

WARPATH_RUNG(Args, launch, .supports = supports);

}  // namespace
}  // namespace warpath::matmul
