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

// As produce(); the bytes of b come from all blocks of the cluster, and count here all the same.
template <class Tile>
__device__ __forceinline__ void produce_shared(Ring<Tile>& ring, Turn<Tile::stages>& turn,
                                               const CUtensorMap& a, const CUtensorMap& b,
                                               const Shape& shape, TilePlace of_cluster, int begin,
                                               int end) {
  constexpr int cluster = Tile::cluster;
  const TilePlace at = own_place<cluster>(of_cluster);
  if constexpr (cluster == 1) {
    produce(ring, turn, a, b, shape, at, begin, end);
  } else {
    constexpr std::uint16_t all = (1 << cluster) - 1;
    using Share = typename Tile::BShare;
    const int rank = int(ptx::rank_in_cluster());
    for (int step = begin; step < end; ++step, turn.next()) {
      ptx::Barrier& full = ring.full[turn.stage];
      ptx::wait(ring.empty[turn.stage], turn.parity ^ 1);
      ptx::arrive_expecting(full, Tile::stage_bytes);
      Tile::A::boxes(ring.a[turn.stage], at.row * Tile::m, step * Tile::k,
                     at.batch * shape.a_batched,
                     [&](void* to, ptx::BoxPlace p) { ptx::load_box(to, a, p, full); });
      Share::boxes(ring.b[turn.stage] + rank * Share::bytes,
                   at.column * Tile::n + rank * Share::rows, step * Tile::k,
                   at.batch * shape.b_batched,
                   [&](void* to, ptx::BoxPlace p) { ptx::load_box_to_all(to, b, p, full, all); });
    }
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

// A cluster has started, or is done: nobody reaches into a block that is not there.
template <class Tile>
__device__ __forceinline__ void sync_sharers() {
  if constexpr (Tile::cluster == 1)
    __syncthreads();
  else
    ptx::sync_cluster();
}

}  // namespace warpath::matmul::hopper
