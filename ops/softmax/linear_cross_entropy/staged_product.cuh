// A product by pairs of blocks, of any of the three forms: for 05.
//
// Two blocks, one above the other, share what both read of b: each loads a half of it into the shared memory of both. Results
// of 16 bits are kept in registers, rounded, and leave through shared memory by TMA while the next tile is multiplied. Sums
// in float, which may be added to what is there or belong to a part of k, are stored by the threads: k is long there,
// and tiles are few.
#pragma once
#include "core/cluster/cluster.cuh"
#include "core/hopper/cluster_ring.cuh"
#include "core/hopper/staging.cuh"
#include "ops/softmax/linear_cross_entropy/hopper_product.cuh"

namespace warpath::linear_cross_entropy {

namespace staged_product {

using namespace hopper;

constexpr int threads = 3 * ptx::warp_group, cluster = 2, band = 8;  // of pairs: 2048 rows

template <class Tile>
static __global__ void __launch_bounds__(threads, 1)
    kept(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
         const __grid_constant__ CUtensorMap d, Shape shape) {
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
    KeptTile<Tile> last;
    for (int tile = first; tile < tiles; tile += stride) {
      typename Tile::Sums sums;
      const auto consumer = cluster_consumer<Tile>(block.ring, state, sums, group);
      const TilePlace at =
          multiply_and_store<Tile>(consumer, shape, tile, last, block.staging[group], d, group);
      last.keep(sums, at);
    }
    leave_cluster<Tile>();
    last.store_last(block.ring, d, group);
    finish_stores();
  }
  await_cluster<Tile>();
}

// The parts of k are counted as a batch: a part is the same tile with other steps.
template <class Tile>
static __global__ void __launch_bounds__(threads, 1)
    direct(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
           Shape shape, Product<typename Tile::T> p) {
  extern __shared__ __align__(1024) unsigned char shared[];
  auto& ring = storage_in<Ring<Tile>>(shared);
  const int steps = int((p.part + Tile::k - 1) / Tile::k);
  const auto begin = [&](int part) { return part * steps; };
  const auto end = [&](int part) { return min(shape.steps, begin(part) + steps); };
  const int tiles = shape.order.tiles(), first = blockIdx.x / cluster;
  const int stride = gridDim.x / cluster;
  const TilePlace start = shape.order.at(first);
  const int early =
      open_ring(Loads<Tile>(ring, a, b, shape, start), cluster * warps_of(Tile::groups),
                begin(start.batch), end(start.batch));

  PipelineState<Tile::stages> state;
  if (is_producer()) {
    ptx::give_registers<producer_registers>();
    if (threadIdx.x == 0) {
      state.skip(early);
      for (int tile = first; tile < tiles; tile += stride) {
        const TilePlace at = shape.order.at(tile);
        produce(Loads<Tile>(ring, a, b, shape, at), state,
                begin(at.batch) + (tile == first ? early : 0), end(at.batch));
      }
    }
    __syncwarp();
    leave_cluster<Tile>();
  } else {
    ptx::take_registers<consumer_registers>();
    const int group = consumer_group();
    for (int tile = first; tile < tiles; tile += stride) {
      const TilePlace place = own_place<cluster>(shape.order.at(tile));
      typename Tile::Sums sums;
      consume(ring, state, sums, group, end(place.batch) - begin(place.batch),
              [&](int stage) { release_stage(ring, stage); });
      const Corner at = corner_of<Tile>(place, group);
      for_each_pair(sums, [&](float one, float two, int down, int right) {
        store_pair(p, at.row + down, at.column + right, place.batch, one, two);
      });
    }
    leave_cluster<Tile>();
  }
  await_cluster<Tile>();
}

template <class T, bool AK, bool BK>
void launch_form(const Product<T>& p, cudaStream_t stream) {
  using Block = Tile<T, 128, 256, 4, !AK, !BK, cluster>;
  using hopper_product::map_of;
  const std::int64_t down = ceil_div(p.m, cluster * Block::m), across = ceil_div(p.n, Block::n);
  WARPATH_CHECK(down * across * p.parts <= max_grid_x,
                "linear_cross_entropy: too many tiles for one launch");
  const Shape shape{int(p.m), int(p.n), int(ceil_div(p.k, Block::k)),
                    false,    false,    QuickOrder::of(down, across, p.parts, band)};
  const auto a = map_of<typename Block::A>(p.a, p.m, p.k, AK ? p.a_row : p.a_k);
  const auto b = map_of<typename Block::BShare>(p.b, p.n, p.k, BK ? p.b_col : p.b_k);
  const auto clusters =
      std::min<unsigned>(shape.order.tiles(), std::max(1u, multiprocessors() / cluster));
  if (!p.to_float && shape.steps > KeptTile<Block>::patches) {
    // The engine writes 16 bytes at once: zeros behind a row of logits, up to there.
    const MatrixStack d{dtype_of<T>, p.d, ceil_div(p.n, 8) * 8, p.m, 1, p.d_row, 0};
    const ClusterLaunch launch{cluster, threads, storage_bytes<StagedStorage<Block>>, stream};
    launch(kept<Block>, clusters, a, b, tensor_map(d, patch_rows), shape);
  } else {
    const ClusterLaunch launch{cluster, threads, storage_bytes<Ring<Block>>, stream};
    launch(direct<Block>, clusters, a, b, shape, p);
  }
}

}  // namespace staged_product

template <class T>
void multiply_staged(const Product<T>& p, cudaStream_t stream) {
  with_form(p, [&]<class AK, class BK>(AK, BK) {
    staged_product::launch_form<T, AK::value, BK::value>(p, stream);
  });
}

}  // namespace warpath::linear_cross_entropy
