// The tiles of rungs 17 to 20, and what their persistent kernels are launched with.
#pragma once
#include "core/cluster/cluster.cuh"
#include "core/hopper/cluster_ring.cuh"
#include "core/hopper/partial_sums.cuh"
#include "core/hopper/staging.cuh"
#include "ops/matmul/matmul/hopper_call.cuh"
#include "ops/matmul/matmul/hopper_products.h"

namespace warpath::matmul::hopper {

template <int Cluster, class T, bool A, bool B>
using WideTile = Tile<T, 128, 256, 4, A, B, Cluster>;
// A gradient of weights has few tiles and a long k: where more of these fit into a wave, they are
// the better ones. Three consumers of 64 rows each.
template <class T>
using SquareTile = Tile<T, 192, 192, 4, true, true, 2>;

// f(Tag<tile>)
template <class F>
void by_tile(const Args& args, TileKind kind, F f) {
  by_form(args, [&]<class T, bool A, bool B>(Form<T, A, B>) {
    if constexpr (A && B)
      if (kind == TileKind::square) return f(Tag<SquareTile<T>>{});
    kind == TileKind::pair ? f(Tag<WideTile<2, T, A, B>>{}) : f(Tag<WideTile<1, T, A, B>>{});
  });
}

inline constexpr int band_rows = 16;  // of tiles of 128 rows

template <class Tile>
inline constexpr int block_threads = (1 + Tile::groups) * ptx::warp_group;

// Clusters that the GPU holds at once, one block per SM.
template <int Cluster>
unsigned held_clusters() {
  return std::max(1u, multiprocessors() / Cluster);
}

template <class Tile>
ClusterLaunch staged_launch(cudaStream_t stream) {
  return {Tile::cluster, block_threads<Tile>, storage_bytes<StagedStorage<Tile>>, stream};
}

// In the scratch memory: the flags, then the sums.
template <class Tile>
PartialSums<Tile> partial_sums(const Args& args) {
  return {static_cast<float*>(args.scratch.data) + most_flags,
          static_cast<unsigned*>(args.scratch.data)};
}

}  // namespace warpath::matmul::hopper
