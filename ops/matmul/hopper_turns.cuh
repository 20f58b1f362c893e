// A persistent kernel whose two consumers have a tile each and take turns: while one multiplies, the other finishes its
// tile.
//
//   stages of the ring   | tile 0 … | tile 1 … | tile 2 … | tile 3 … |
//   consumer 0            multiplies   finishes   multiplies   finishes
//   consumer 1                        multiplies   finishes   multiplies
//
// The tensor cores stand still at no tile's end but the last. It costs more of b: a stage serves 128 rows by 192 columns
// or fewer, for that is what one warp group's registers hold, not 128 by 256.
//
// A consumer tells the other when it has seen its last stage. Before, that one could not even wait: a barrier's parity tells
// a phase from the next, not from the one after.
#pragma once
#include "hopper_whole.cuh"

namespace warpath::matmul::hopper {

inline constexpr int turns_giver_registers = 24, turns_taker_registers = 240;  // 3 * 168 in all

// One stage's products for all 128 rows, 64 at a time; they run on after this returns.
template <class Tile>
__device__ __forceinline__ void multiply_rows(typename Tile::Sums (&sums)[2],
                                              const unsigned char* a, const unsigned char* b,
                                              bool accumulate) {
  const std::uint64_t at = Tile::A::descriptor(a), bt = Tile::B::descriptor(b);
  ptx::fence_products();
#pragma unroll
  for (int i = 0; i < 4; ++i)  // 32 bytes of k each
#pragma unroll
    for (int half = 0; half < 2; ++half)
      ptx::multiply<typename Tile::T, Tile::A::across, Tile::B::across>(
          sums[half], ptx::advance(at, half * patch_bytes + i * Tile::A::step),
          ptx::advance(bt, i * Tile::B::step), accumulate || i > 0);
  ptx::commit_products();
}

inline constexpr int first_turn_barrier = first_free_barrier + 2;

// The sums of a whole tile. A stage is freed once the next one's products are started; all_started() is called when those
// of the last one are.
template <class Tile, class Started>
__device__ __forceinline__ void multiply_tile(typename Tile::Sums (&sums)[2], Ring<Tile>& ring,
                                              Turn<Tile::stages>& turn, int steps,
                                              Started all_started) {
  const auto start = [&](bool accumulate) {
    const int stage = turn.stage;
    ptx::wait(ring.full[stage], turn.parity);
    multiply_rows<Tile>(sums, ring.a[stage], ring.b[stage], accumulate);
    turn.next();
    return stage;
  };
  int running = start(false);
  for (int step = 1; step < steps; ++step) {
    const int started = start(true);
    ptx::wait_products<1>();
    free_shared(ring, running);
    running = started;
  }
  all_started();
  ptx::wait_products<0>();
  ptx::hold(sums[0]);
  ptx::hold(sums[1]);
  free_shared(ring, running);
}

template <class Tile, Way way>
__global__ void __launch_bounds__(run_threads<Tile>, 1)
    in_turns(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
             const __grid_constant__ CUtensorMap d, Shape shape, Epilogue<typename Tile::T> out) {
  constexpr int cluster = Tile::cluster;
  extern __shared__ __align__(1024) unsigned char shared[];
  auto& block = storage_in<RunStorage<Tile>>(shared);
  const int tiles = shape.order.tiles(), first = blockIdx.x / cluster;
  const int stride = gridDim.x / cluster;
  const int early = open_ring(Loads<Tile>(block.ring, a, b, shape, shape.order.at(first)),
                              cluster * warps_of(1), 0, shape.steps);

  Turn<Tile::stages> turn;
  if (is_producer()) {
    ptx::give_registers<turns_giver_registers>();
    load_whole_tiles(block.ring, a, b, shape, turn, first, tiles, stride, early);
  } else {
    ptx::take_registers<turns_taker_registers>();
    const int group = consumer_group();
    if (group == 1) turn.skip(shape.steps);
    for (int tile = first + group * stride; tile < tiles; tile += 2 * stride) {
      typename Tile::Sums sums[2];
      const TilePlace at = settled_place<Tile>(shape, tile);
      if (tile != first) ptx::sync_some(first_turn_barrier + group, 2 * ptx::warp_group);
      multiply_tile<Tile>(sums, block.ring, turn, shape.steps, [&] {
        if (tile + stride < tiles)
          ptx::arrive_some(first_turn_barrier + 1 - group, 2 * ptx::warp_group);
      });
      turn.skip(shape.steps);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const Corner corner = corner_of<Tile>(at, half);
        if constexpr (way == Way::gelu) finish_gelu(sums[half], out, corner);
        // Without this branch, which is hardly ever taken, ptxas sees the sums read while products run, and starts each
        // product when the one before has ended (C7514).
        if constexpr (way == Way::plain)
          if (out.alpha != 1.0f) {
#pragma unroll
            for (float& sum : sums[half]) sum *= out.alpha;
          }
        constexpr int patches = Tile::n / 64;
#pragma unroll
        for (int p = 0; p < patches; ++p) {
          std::uint32_t words[16];
          round_pairs<typename Tile::T>(sums[half] + 32 * p, words);
          store_patch(words, half * patches + p, block.staging[group], d,
                      box_of<Tile>(at, half, 64 * p), group);
        }
      }
    }
    leave_sharers<Tile>();
    finish_stores();
  }
  await_sharers<Tile>();
}

}  // namespace warpath::matmul::hopper
