// Two blocks share what both need of b.
//
// What changed: blocks run in clusters of two, one above the other. Each asks for half of the
// columns of b that both multiply, and TMA writes them into the shared memory of both:
// a third less is read from L2 per product. A stage is free when the readers of both blocks are
// done, for either block may be the next to write it.
// Limit: the stores. The consumers write d straight from their registers, in pieces of 16 bytes,
// and multiply nothing meanwhile.
#include "core/cluster/cluster.cuh"
#include "core/hopper/cluster_ring.cuh"
#include "core/host/device.cuh"
#include "ops/matmul/matmul/hopper_epilogue.cuh"

namespace warpath::matmul {
namespace {

using namespace hopper;

constexpr int threads = 3 * ptx::warp_group, band = 4, cluster = 2;

template <class Tile>
__global__ void __launch_bounds__(threads, 1)
    multicast(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
              Shape shape, Epilogue<typename Tile::T> out) {
  extern __shared__ __align__(1024) unsigned char shared[];
  auto& ring = storage_in<Ring<Tile>>(shared);
  if (threadIdx.x == 0) ring.init(cluster * warps_of(Tile::groups));
  ptx::sync_cluster();  // no copy and no arrival before the other block's barriers are there

  PipelineState<Tile::stages> state;
  const int tiles = shape.order.tiles(), first = blockIdx.x / cluster, step = gridDim.x / cluster;
  if (is_producer()) {
    ptx::give_registers<producer_registers>();
    if (threadIdx.x == 0)
      for (int tile = first; tile < tiles; tile += step)
        produce(Loads<Tile>(ring, a, b, shape, shape.order.at(tile)), state, 0, shape.steps);
  } else {
    ptx::take_registers<consumer_registers>();
    for (int tile = first; tile < tiles; tile += step) {
      typename Tile::Sums sums;
      consume(ring, state, sums, consumer_group(), shape.steps,
              [&](int stage) { release_stage(ring, stage); });
      store_direct<Tile>(sums, out, own_place<cluster>(shape.order.at(tile)), consumer_group());
    }
  }
  ptx::sync_cluster();  // the other block may still write here
}

void launch(const Args& args, cudaStream_t stream) {
  by_form(args, [&]<class T, bool A, bool B>(Form<T, A, B>) {
    using Block = Tile<T, 128, 256, 4, A, B, cluster>;
    const Shape shape = shape_of<Block, cluster>(args, band);
    const ClusterLaunch launch{cluster, threads, storage_bytes<Ring<Block>>, stream};
    const unsigned clusters =
        std::min<unsigned>(shape.order.tiles(), std::max(1u, multiprocessors() / cluster));
    launch(multicast<Block>, clusters, map_of_a<Block>(args), map_of_b<Block>(args), shape,
           problem_of<T>(args).out);
  });
}

WARPATH_RUNG(Args, launch, .supports = supports, .preferred = enough_tiles);

}  // namespace
}  // namespace warpath::matmul
