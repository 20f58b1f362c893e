// A cluster of blocks, one below the other, that fill each other's stages of b.
#pragma once
#include "hopper.cuh"

namespace warpath::matmul::hopper {

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

// This thread does not reach into the other blocks any more; and none of them into this one.
template <class Tile>
__device__ __forceinline__ void leave_sharers() {
  if constexpr (Tile::cluster > 1) ptx::arrive_at_cluster();
}
template <class Tile>
__device__ __forceinline__ void await_sharers() {
  if constexpr (Tile::cluster > 1) ptx::wait_for_cluster();
}

// Makes the ring, and asks for the first of the steps [begin, end) before the cluster has met: a stage that no other block
// has filled yet is nobody else's. How many were asked for is returned when it has met.
template <class Tile>
__device__ __forceinline__ int open_ring(const Loads<Tile>& loads, unsigned readers, int begin,
                                         int end) {
  const int early = min(Tile::stages, end - begin);
  if (threadIdx.x == 0) loads.ring.init(readers);
  if constexpr (Tile::cluster > 1) ptx::arrive_at_cluster();
  if (threadIdx.x == 0)
    for (int i = 0; i < early; ++i) {
      loads.ask_a(i, begin + i);
      loads.ask_whole_b(i, begin + i);
    }
  __syncwarp();
  if constexpr (Tile::cluster > 1)
    ptx::wait_for_cluster();
  else
    __syncthreads();
  return early;
}

}  // namespace warpath::matmul::hopper
