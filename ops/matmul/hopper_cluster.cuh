// A cluster of blocks, one below the other, that fill each other's stages of b.
#pragma once
#include "hopper.cuh"

namespace warpath::matmul::hopper {

// A block of a cluster asks for its share of the columns of b. A cluster of one shares with nobody.
template <int Cluster, class T, int M, int N, int Stages, bool AAcross, bool BAcross>
struct SharedTile : Tile<T, M, N, Stages, AAcross, BAcross> {
  using BShare = Panel<T, N / Cluster, BAcross>;
  static constexpr int cluster = Cluster;
};

// The tile of this block, where the order counts tiles of the whole cluster.
template <int Cluster>
__device__ __forceinline__ TilePlace own_place(TilePlace at) {
  if constexpr (Cluster > 1) at.row = at.row * Cluster + int(ptx::rank_in_cluster());
  return at;
}

// What a block asks for to fill a stage: its rows of a for itself, its share of b for the whole cluster. The bytes of b
// come from all blocks, and count here all the same.
template <class Tile>
struct Loads {
  Ring<Tile>& ring;
  const CUtensorMap &a, &b;
  const Shape& shape;
  TilePlace at;  // of this block

  __device__ __forceinline__ Loads(Ring<Tile>& r, const CUtensorMap& a_map,
                                   const CUtensorMap& b_map, const Shape& s, TilePlace of_cluster)
      : ring(r), a(a_map), b(b_map), shape(s), at(own_place<Tile::cluster>(of_cluster)) {}

  __device__ __forceinline__ void ask_a(int stage, int step) const {
    ptx::Barrier& full = ring.full[stage];
    ptx::arrive_expecting(full, Tile::stage_bytes);
    Tile::A::boxes(ring.a[stage], at.row * Tile::m, step * Tile::k, at.batch * shape.a_batched,
                   [&](void* to, ptx::BoxPlace p) { ptx::load_box(to, a, p, full); });
  }
  __device__ __forceinline__ void ask_b(int stage, int step) const {
    using Share = typename Tile::BShare;
    constexpr std::uint16_t all = (1 << Tile::cluster) - 1;
    ptx::Barrier& full = ring.full[stage];
    const int rank = Tile::cluster > 1 ? int(ptx::rank_in_cluster()) : 0;
    Share::boxes(ring.b[stage] + rank * Share::bytes, at.column * Tile::n + rank * Share::rows,
                 step * Tile::k, at.batch * shape.b_batched, [&](void* to, ptx::BoxPlace p) {
                   if constexpr (Tile::cluster > 1)
                     ptx::load_box_to_all(to, b, p, full, all);
                   else
                     ptx::load_box(to, b, p, full);
                 });
  }
};

// Fills stages with the steps [begin, end) of a tile; by one thread of each block.
template <class Tile>
__device__ __forceinline__ void produce_shared(const Loads<Tile>& loads, Turn<Tile::stages>& turn,
                                               int begin, int end) {
  for (int step = begin; step < end; ++step, turn.next()) {
    ptx::wait(loads.ring.empty[turn.stage], turn.parity ^ 1);
    loads.ask_a(turn.stage, step);
    loads.ask_b(turn.stage, step);
  }
}

// By every thread of a consumer: its warp is done with the stage, and every block may fill it anew.
template <class Tile>
__device__ __forceinline__ void free_shared(Ring<Tile>& ring, int stage) {
  const unsigned lane = threadIdx.x % 32;
  if constexpr (Tile::cluster == 1) {
    if (lane == 0) ptx::arrive(ring.empty[stage]);
  } else {
    if (lane < Tile::cluster) ptx::arrive_at(ring.empty[stage], lane);
  }
}

template <class Tile>
__device__ __forceinline__ auto sharing_consumer(Ring<Tile>& ring, Turn<Tile::stages>& turn,
                                                 typename Tile::Sums& sums, int group) {
  const auto free = [&ring](int stage) { free_shared(ring, stage); };
  return Consumer<Tile, decltype(free)>{ring, turn, sums, group, free};
}

// A cluster has started, or is done: nobody reaches into a block that is not there.
template <class Tile>
__device__ __forceinline__ void sync_sharers() {
  if constexpr (Tile::cluster == 1)
    __syncthreads();
  else
    ptx::sync_cluster();
}

}  // namespace warpath::matmul::hopper
