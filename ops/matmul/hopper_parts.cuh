// Few tiles and a long k: every tile is cut along k into equal parts, and all who had one add up a slice of it.
//
// A gradient of weights is such a product. Each part's sums go to scratch memory; when all parts of a tile are there, the
// worker of part p adds up the p-th slice of its columns and stores that. If one worker finished the tile alone, the
// others would wait for it to read all they had left.
#pragma once
#include "core/ptx/order.cuh"
#include "hopper_run.cuh"
#include "hopper_stream.h"

namespace warpath::matmul::hopper {

// The places in scratch for the sums of a tile's warp groups, and the flags.
template <class Tile>
struct ScratchSums {
  static constexpr int floats = Tile::m * Tile::n;  // of a place
  float* sums;
  unsigned* flags;

  explicit ScratchSums(const Args& args)
      : sums(static_cast<float*>(args.scratch.data) + most_flags),
        flags(static_cast<unsigned*>(args.scratch.data)) {}
  // This thread's: a quad of neighbouring sums for every 8 columns, a warp group apart.
  __device__ __forceinline__ float4* of(int place, int group) const {
    return reinterpret_cast<float4*>(sums + std::int64_t(place) * floats) +
           group * (floats / Tile::groups / 4) + threadIdx.x % ptx::warp_group;
  }
  __device__ __forceinline__ unsigned* flag(int place, int group) const {
    return flags + Tile::groups * place + group;
  }
  // All threads of the group have written theirs when this returns.
  __device__ __forceinline__ void leave(const typename Tile::Sums& from, int place,
                                        int group) const {
    float4* const to = of(place, group);
#pragma unroll
    for (int i = 0; i < Tile::n / 8; ++i)
      to[i * ptx::warp_group] = {from[4 * i], from[4 * i + 1], from[4 * i + 2], from[4 * i + 3]};
    ptx::sync_some(first_free_barrier + group, ptx::warp_group);
  }
};

// Of a thread in each role, 512 for each of a warp group in all.
template <class Tile>
inline constexpr int giver_registers = Tile::groups == 2 ? producer_registers : 32;
template <class Tile>
inline constexpr int taker_registers = Tile::groups == 2 ? consumer_registers : 160;

// 64 rows of a tile by `width` columns: what a warp group adds up at once, from as many parts at a time as its registers
// hold.
struct Slice {
  static constexpr int quads = 4, width = 8 * quads, parts_at_once = 4;
};

template <class Tile, class T>
__device__ __forceinline__ void add_slice(const ScratchSums<Tile>& scratch, const EqualParts& work,
                                          int place, int slice, const Epilogue<T>& out, Corner at) {
  const int group = consumer_group();
  float sums[4 * Slice::quads] = {};
  for (int part = 0; part < work.parts; part += Slice::parts_at_once) {
    float4 got[Slice::parts_at_once][Slice::quads];
#pragma unroll
    for (int p = 0; p < Slice::parts_at_once; ++p) {
      const int from = place + (part + p) * work.tiles * Tile::cluster;
      const float4* const quad = scratch.of(from, group) + slice * Slice::quads * ptx::warp_group;
#pragma unroll
      for (int q = 0; q < Slice::quads; ++q)
        got[p][q] = part + p < work.parts ? __ldcg(&quad[q * ptx::warp_group]) : float4{};
    }
#pragma unroll
    for (int p = 0; p < Slice::parts_at_once; ++p)
#pragma unroll
      for (int q = 0; q < Slice::quads; ++q) {
        sums[4 * q] += got[p][q].x;
        sums[4 * q + 1] += got[p][q].y;
        sums[4 * q + 2] += got[p][q].z;
        sums[4 * q + 3] += got[p][q].w;
      }
  }
  at.column += slice * Slice::width;
  finish(sums, out, at);
  store_finished(sums, out, at);
}

template <class Tile>
struct PartsStorage {
  Ring<Tile> ring;
};

template <class Tile>
__global__ void __launch_bounds__(run_threads<Tile>, 1)
    in_parts(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
             Shape shape, EqualParts work, ScratchSums<Tile> scratch,
             Epilogue<typename Tile::T> out) {
  constexpr int cluster = Tile::cluster;
  extern __shared__ __align__(1024) unsigned char shared[];
  auto& ring = storage_in<PartsStorage<Tile>>(shared).ring;
  const int first = blockIdx.x / cluster, rank = blockIdx.x % cluster;
  const auto k_begin = [&](int part) { return work.begin(part, shape.steps); };
  const auto loads = [&](int piece) {
    return Loads<Tile>(ring, a, b, shape, shape.order.at(work.tile(piece)));
  };
  const int early = open_ring(loads(first), cluster * warps_of(Tile::groups),
                              k_begin(work.part(first)), k_begin(work.part(first) + 1));

  Turn<Tile::stages> turn;
  if (is_producer()) {
    ptx::give_registers<giver_registers<Tile>>();
    if (threadIdx.x == 0) {
      turn.skip(early);
      for (int piece = first; piece < work.pieces(); piece += work.workers) {
        const int part = work.part(piece);
        produce(loads(piece), turn, k_begin(part) + (piece == first ? early : 0),
                k_begin(part + 1));
      }
    }
    __syncwarp();
    leave_sharers<Tile>();
  } else {
    ptx::take_registers<taker_registers<Tile>>();
    const int group = consumer_group();
    const bool leader = threadIdx.x % ptx::warp_group == 0;
    for (int piece = first; piece < work.pieces(); piece += work.workers) {
      const int part = work.part(piece);
      typename Tile::Sums sums;
      consume(ring, turn, sums, group, k_begin(part + 1) - k_begin(part),
              [&](int stage) { free_shared(ring, stage); });
      scratch.leave(sums, piece * cluster + rank, group);
      if (leader) ptx::add_in_order(scratch.flag(work.tile(piece) * cluster + rank, group), 1);
    }
    leave_sharers<Tile>();
    for (int piece = first; piece < work.pieces(); piece += work.workers) {
      const int part = work.part(piece), place = work.tile(piece) * cluster + rank;
      constexpr int slices = Tile::n / Slice::width;
      unsigned* const flag = scratch.flag(place, group);
      if (leader)
        while (ptx::load_acquire(flag) < unsigned(work.parts)) __nanosleep(20);
      ptx::sync_some(first_free_barrier + group, ptx::warp_group);
      const TilePlace at = own_place<cluster>(shape.order.at(work.tile(piece)));
      for (int slice = work.begin(part, slices); slice < work.begin(part + 1, slices); ++slice)
        add_slice(scratch, work, place, slice, out, corner_of<Tile>(at, group));
      // Who leaves a tile last sets its flag as the next launch wants it.
      if (leader && ptx::add_in_order(flag, 1) == unsigned(2 * work.parts - 1))
        ptx::store_release(flag, 0);
    }
  }
  await_sharers<Tile>();
}

template <class Tile>
void launch_parts(const Args& args, const EqualParts& work, cudaStream_t stream) {
  const ClusterLaunch launch{Tile::cluster, run_threads<Tile>, storage_bytes<PartsStorage<Tile>>,
                             stream, true};
  launch(in_parts<Tile>, unsigned(work.workers), map_of_a<Tile>(args), map_of_b<Tile>(args),
         shape_of<Tile, Tile::cluster>(args, 1), work, ScratchSums<Tile>(args),
         problem_of<typename Tile::T>(args).out);
}

}  // namespace warpath::matmul::hopper
