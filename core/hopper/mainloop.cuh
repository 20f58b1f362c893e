// The mainloop of a matrix product: the producer's loads and the consumers' products, stage by
// stage.
#pragma once
#include "core/block/tile_order.cuh"
#include "core/hopper/ring.cuh"
#include "core/hopper/warp_groups.cuh"
#include "core/ptx/compute_here.cuh"

namespace warpath::hopper {

// What the mainloop needs to know about the problem besides its tensor maps.
struct Shape {
  int m, n, steps;            // steps along k
  bool a_batched, b_batched;  // otherwise one matrix serves the whole batch
  QuickOrder order;
};

// The tile of this block, where the order counts tiles of the whole cluster.
template <int Cluster>
__device__ __forceinline__ TilePlace own_place(TilePlace at) {
  if constexpr (Cluster > 1) at.row = at.row * Cluster + int(ptx::rank_in_cluster());
  return at;
}
// The same, computed here and not at its first use: for code that runs while products are in
// flight.
template <class Tile>
__device__ __forceinline__ TilePlace own_place_now(const Shape& shape, int tile) {
  TilePlace at = own_place<Tile::cluster>(shape.order.at(tile));
  ptx::compute_here(at.row);
  ptx::compute_here(at.column);
  ptx::compute_here(at.batch);
  return at;
}

// The copies that fill a stage: the block's rows of a for itself, its share of b for the whole
// cluster. The bytes of b come from all blocks, and this block's barrier counts all of them.
template <class Tile>
struct Loads {
  Ring<Tile>& ring;
  const CUtensorMap &a, &b;
  const Shape& shape;
  TilePlace at;  // of this block

  __device__ __forceinline__ Loads(Ring<Tile>& r, const CUtensorMap& a_map,
                                   const CUtensorMap& b_map, const Shape& s, TilePlace of_cluster)
      : ring(r), a(a_map), b(b_map), shape(s), at(own_place<Tile::cluster>(of_cluster)) {}

  __device__ __forceinline__ void load_a(int stage, int step) const {
    ptx::Barrier& full = ring.full[stage];
    ptx::arrive_expecting(full, Tile::stage_bytes);
    Tile::A::boxes(ring.a[stage], at.row * Tile::m, step * Tile::k, at.batch * shape.a_batched,
                   [&](void* to, ptx::BoxPlace p) { ptx::load_box(to, a, p, full); });
  }
  __device__ __forceinline__ void load_b(int stage, int step) const {
    constexpr std::uint16_t all = (1 << Tile::cluster) - 1;
    ptx::Barrier& full = ring.full[stage];
    const int rank = Tile::cluster > 1 ? int(ptx::rank_in_cluster()) : 0;
    share_of_b(stage, step, rank, [&](void* to, ptx::BoxPlace p) {
      if constexpr (Tile::cluster > 1)
        ptx::load_box_to_all(to, b, p, full, all);
      else
        ptx::load_box(to, b, p, full);
    });
  }
  // The shares of all blocks, for this block alone.
  __device__ __forceinline__ void load_whole_b(int stage, int step) const {
#pragma unroll
    for (int rank = 0; rank < Tile::cluster; ++rank)
      share_of_b(stage, step, rank,
                 [&](void* to, ptx::BoxPlace p) { ptx::load_box(to, b, p, ring.full[stage]); });
  }

 private:
  template <class Issue>
  __device__ __forceinline__ void share_of_b(int stage, int step, int rank, Issue issue) const {
    using Share = typename Tile::BShare;
    const int column = Tile::share_columns ? rank * Share::rows : 0;
    const int deep = Tile::share_columns ? 0 : rank * Share::depth;
    Share::boxes(ring.b[stage] + (column + deep) * 128, at.column * Tile::n + column,
                 step * Tile::k + deep, at.batch * shape.b_batched, issue);
  }
};

// Fills stages with the steps [begin, end) of a tile; by one thread of each block.
template <class Tile>
__device__ __forceinline__ void produce(const Loads<Tile>& loads,
                                        PipelineState<Tile::stages>& state, int begin, int end) {
  for (int step = begin; step < end; ++step, state.next()) {
    ptx::wait(loads.ring.empty[state.stage], state.parity ^ 1);
    loads.load_a(state.stage, step);
    loads.load_b(state.stage, step);
  }
}

// One stage's products for 64 rows of the tile; they may still run when this returns.
template <class Tile>
__device__ __forceinline__ void multiply_stage(typename Tile::Sums& sums, const unsigned char* a,
                                               const unsigned char* b, int group, bool accumulate) {
  const std::uint64_t at = Tile::A::descriptor(a + group * patch_bytes);
  const std::uint64_t bt = Tile::B::descriptor(b);
  ptx::fence_products();
#pragma unroll
  for (int i = 0; i < 4; ++i)  // 32 bytes of k each
    ptx::multiply<typename Tile::T, Tile::A::mn_major, Tile::B::mn_major>(
        sums, ptx::advance(at, i * Tile::A::step), ptx::advance(bt, i * Tile::B::step),
        accumulate || i > 0);
  ptx::commit_products();
}

// The sums of a warp group over the stages of a tile: begin(), step() for every further stage,
// end(). A stage is released, by release(stage) in every thread, once the products of the next one
// have been started: one group of products is always running.
template <class Tile, class Release>
struct Consumer {
  Ring<Tile>& ring;
  PipelineState<Tile::stages>& state;
  typename Tile::Sums& sums;
  int group;
  Release release;
  int running = 0;  // the stage

  __device__ __forceinline__ int start(bool accumulate) {
    const int stage = state.stage;
    ptx::wait(ring.full[stage], state.parity);
    multiply_stage<Tile>(sums, ring.a[stage], ring.b[stage], group, accumulate);
    state.next();
    return stage;
  }
  __device__ __forceinline__ void begin() { running = start(false); }
  // meanwhile() is called while the products of two stages are in flight.
  template <class Meanwhile>
  __device__ __forceinline__ void step(Meanwhile meanwhile) {
    const int started = start(true);
    meanwhile();
    ptx::wait_products<1>();
    release(running);
    running = started;
  }
  __device__ __forceinline__ void steps(int count) {
    for (int i = 0; i < count; ++i) step([] {});
  }
  __device__ __forceinline__ void end() {
    ptx::wait_products(sums);
    release(running);
  }
};

template <class Tile, class Release>
__device__ __forceinline__ void consume(Ring<Tile>& ring, PipelineState<Tile::stages>& state,
                                        typename Tile::Sums& sums, int group, int steps,
                                        Release release) {
  Consumer<Tile, Release> consumer{ring, state, sums, group, release};
  consumer.begin();
  consumer.steps(steps - 1);
  consumer.end();
}

}  // namespace warpath::hopper
