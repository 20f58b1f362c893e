// A cluster of blocks, one below the other, that fill each other's stages of b.
#pragma once
#include "core/hopper/mainloop.cuh"

namespace warpath::hopper {

// Called by every thread of a consumer when its warp is done with the stage: every block may fill
// it again.
template <class Tile>
__device__ __forceinline__ void release_stage(Ring<Tile>& ring, int stage) {
  const unsigned lane = threadIdx.x % 32;
  if constexpr (Tile::cluster == 1) {
    if (lane == 0) ptx::arrive(ring.empty[stage]);
  } else {
    if (lane < Tile::cluster) ptx::arrive_at(ring.empty[stage], lane);
  }
}

template <class Tile>
__device__ __forceinline__ auto cluster_consumer(Ring<Tile>& ring,
                                                 PipelineState<Tile::stages>& state,
                                                 typename Tile::Sums& sums, int group) {
  const auto release = [&ring](int stage) { release_stage(ring, stage); };
  return Consumer<Tile, decltype(release)>{ring, state, sums, group, release};
}

// After leave_cluster(), this thread no longer accesses the other blocks. After await_cluster(),
// none of them accesses this one.
template <class Tile>
__device__ __forceinline__ void leave_cluster() {
  if constexpr (Tile::cluster > 1) ptx::arrive_at_cluster();
}
template <class Tile>
__device__ __forceinline__ void await_cluster() {
  if constexpr (Tile::cluster > 1) ptx::wait_for_cluster();
}

// Initialises the ring, and loads the first of the steps [begin, end) before the cluster barrier:
// until then no other block fills a stage. Returns, after the barrier, how many were loaded.
template <class Tile>
__device__ __forceinline__ int open_ring(const Loads<Tile>& loads, unsigned readers, int begin,
                                         int end) {
  const int early = min(Tile::stages, end - begin);
  if (threadIdx.x == 0) loads.ring.init(readers);
  if constexpr (Tile::cluster > 1) ptx::arrive_at_cluster();
  if (threadIdx.x == 0)
    for (int i = 0; i < early; ++i) {
      loads.load_a(i, begin + i);
      loads.load_whole_b(i, begin + i);
    }
  __syncwarp();
  if constexpr (Tile::cluster > 1)
    ptx::wait_for_cluster();
  else
    __syncthreads();
  return early;
}

}  // namespace warpath::hopper
