// What the last two Hopper rungs share: a persistent block that loads with its cluster and stores by the copy engine.
#pragma once
#include "core/cluster.cuh"
#include "core/device.cuh"
#include "core/ptx/settle.cuh"
#include "hopper_cluster.cuh"
#include "hopper_launch.cuh"
#include "hopper_rows.cuh"

namespace warpath::matmul::hopper {

template <class Tile>
inline constexpr int run_threads = (1 + Tile::groups) * ptx::warp_group;

template <class Tile>
struct RunStorage {
  Staging staging[Tile::groups];
  Ring<Tile> ring;
};

// Asks for the tiles first, first + stride, … whole, by one thread. Of the first, `early` steps have been asked for.
template <class Tile>
__device__ __forceinline__ void ask_for_tiles(Ring<Tile>& ring, const CUtensorMap& a,
                                              const CUtensorMap& b, const Shape& shape,
                                              Turn<Tile::stages>& turn, int first, int tiles,
                                              int stride, int early) {
  turn.skip(early);
  for (int tile = first; tile < tiles; tile += stride)
    produce(Loads<Tile>(ring, a, b, shape, shape.order.at(tile)), turn, tile == first ? early : 0,
            shape.steps);
}

// What the loading warp group of a persistent block does.
template <class Tile>
__device__ __forceinline__ void load_whole_tiles(Ring<Tile>& ring, const CUtensorMap& a,
                                                 const CUtensorMap& b, const Shape& shape,
                                                 Turn<Tile::stages>& turn, int first, int tiles,
                                                 int stride, int early) {
  if (threadIdx.x == 0) ask_for_tiles(ring, a, b, shape, turn, first, tiles, stride, early);
  __syncwarp();
  leave_sharers<Tile>();
}

// Clusters that the GPU holds at once, a block on every SM.
template <int Cluster>
unsigned held_clusters() {
  return std::max(1u, multiprocessors() / Cluster);
}

template <class T>
struct Output {
  Epilogue<T> epilogue;
  bool by_engine;  // d has a tensor map
};

template <class Tile>
__device__ __forceinline__ void store_tile(typename Tile::Sums& sums,
                                           const Output<typename Tile::T>& out,
                                           RunStorage<Tile>& block, const CUtensorMap& d,
                                           TilePlace at) {
  const int group = consumer_group();
  const Corner corner = corner_of<Tile>(at, group);
  finish(sums, out.epilogue, corner);
  if (out.by_engine)
    store_staged<Tile>(sums, out.epilogue, block.staging[group], d, at, group);
  else
    store_rows<Tile>(sums, out.epilogue, block.staging[group], at, group);
}

// The tile of this block, found by divisions: to be asked for while products run.
template <class Tile>
__device__ __forceinline__ TilePlace settled_place(const Shape& shape, int tile) {
  TilePlace at = own_place<Tile::cluster>(shape.order.at(tile));
  ptx::settle(at.row);
  ptx::settle(at.column);
  ptx::settle(at.batch);
  return at;
}

// Shared memory must stay until the engine has read it; what it wrote is seen when the kernel has ended.
__device__ __forceinline__ void finish_stores() {
  if (threadIdx.x % ptx::warp_group == 0) ptx::wait_stores_read<0>();
}

// The engine writes in pieces of 16 bytes, beyond the end of a row that is not made of them.
inline bool engine_stores(const MatrixStack& d) {
  return fits_tensor_map(d) && d.inner * std::int64_t(size_of(d.dtype)) % 16 == 0;
}
inline MatrixStack stack_of_d(const Args& args) {
  return {args.d.dtype, args.d.data, args.n(),           args.m(),
          args.batch(), args.n(),    args.m() * args.n()};
}
// Of an output the engine does not take there is none, and the kernel does not look at it.
inline CUtensorMap map_of_d(const Args& args) {
  const MatrixStack d = stack_of_d(args);
  return engine_stores(d) ? tensor_map(d, patch_rows) : CUtensorMap{};
}
template <class T>
Output<T> output_of(const Args& args) {
  return {problem_of<T>(args).out, engine_stores(stack_of_d(args))};
}

template <int Cluster, class T, bool A, bool B>
using RunTile = Tile<T, 128, 256, 4, A, B, Cluster>;

template <class Tile>
ClusterLaunch run_launch(cudaStream_t stream) {
  return {Tile::cluster, run_threads<Tile>, storage_bytes<RunStorage<Tile>>, stream};
}

}  // namespace warpath::matmul::hopper
