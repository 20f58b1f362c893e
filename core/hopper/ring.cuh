// A block's tile of a product, and the ring of stages through which TMA feeds the
// tensor cores.
#pragma once
#include "core/hopper/panel.cuh"
#include "core/hopper/pipeline_state.cuh"

namespace warpath::hopper {

// M x N of the product per block, a consumer warp group per 64 rows. A stage has room for `Room`
// columns of b.
template <class T_, int M, int N, int Stages, bool AMnMajor, bool BMnMajor, int Cluster = 1,
          int Room = N>
struct Tile {
  using T = T_;
  using A = Panel<T, M, AMnMajor>;
  using B = Panel<T, N, BMnMajor>;
  // Blocks of a cluster, one below the other, share b: each loads its part of the columns, or of k
  // where that part would not be whole patches.
  static constexpr bool share_columns = N / Cluster % row_multiple<BMnMajor> == 0;
  using BShare = Panel<T, share_columns ? N / Cluster : N, BMnMajor,
                       int(128 / sizeof(T)) / (share_columns ? 1 : Cluster)>;
  static constexpr int cluster = Cluster;
  static constexpr int m = M, n = N, k = A::depth, stages = Stages;
  static constexpr int groups = M / 64;
  static constexpr unsigned stage_bytes = A::bytes + B::bytes;
  static constexpr int b_room = Room * 128;  // bytes
  using Sums = float[N / 2];                 // per thread: its part of 64 x N
};

template <class Tile>
struct Ring {
  alignas(1024) unsigned char a[Tile::stages][Tile::A::bytes];
  alignas(1024) unsigned char b[Tile::stages][Tile::b_room];
  ptx::Barrier full[Tile::stages], empty[Tile::stages];

  // Called by one thread; `readers` warps release a stage. A barrier of the block or the cluster
  // must follow.
  __device__ __forceinline__ void init(unsigned readers) {
    for (int s = 0; s < Tile::stages; ++s) {
      ptx::init(full[s], 1);
      ptx::init(empty[s], readers);
    }
    ptx::fence_init();
  }
};

// The swizzle needs addresses that are multiples of 1024: kernels declare their shared memory with
// this alignment.
inline constexpr int alignment = 1024;
template <class Storage>
__device__ __forceinline__ Storage& storage_in(unsigned char* shared) {
  if (ptx::shared_address(shared) % alignment != 0) __trap();
  return *reinterpret_cast<Storage*>(shared);
}
template <class Storage>
inline constexpr int storage_bytes = int(sizeof(Storage));

}  // namespace warpath::hopper
