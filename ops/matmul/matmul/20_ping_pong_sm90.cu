// Two tiles at a time: one warp group multiplies while the other stores.
//
// What changed: in rung 18 both consumers work on one tile, and both must finish it before the next
// one's products start. Here each has a tile of its own, and they alternate at the tensor cores
// (CUTLASS calls it ping-pong):
//
//   stages of the ring   | tile 0 … | tile 1 … | tile 2 … | tile 3 … |
//   consumer 0            multiplies   finishes   multiplies   finishes
//   consumer 1                        multiplies   finishes   multiplies
//
// The tensor cores are idle at the end of the last tile only. It reads more of b: a stage serves
// 128 rows by 192 columns or fewer, which is what one warp group's registers hold, not 128 by 256.
// A consumer tells the other when it has started its last stage's products. That one must not wait
// for its first stage earlier: one parity bit cannot tell phases two apart. It pays where a tile's
// epilogue is long compared with its products: where all tiles are done in one wave, of which the
// first half is stored while the second is multiplied; and for a short k, as long as d is narrow
// and b's share of the copies small. Elsewhere the wider tiles of rung 18, which read less, are
// faster.
// Limit: for one wave, the time from the launch to the first products, and from the last one to
// memory.
#include "ops/matmul/matmul/hopper_epilogue.cuh"
#include "ops/matmul/matmul/hopper_tiles.cuh"

namespace warpath::matmul {
namespace {

using namespace hopper;

// Per thread, 3 * 168 in all: a consumer holds 128 rows of sums.
constexpr int loader_registers = 24, multiplier_registers = 240;

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
      ptx::multiply<typename Tile::T, Tile::A::mn_major, Tile::B::mn_major>(
          sums[half], ptx::advance(at, half * patch_bytes + i * Tile::A::step),
          ptx::advance(bt, i * Tile::B::step), accumulate || i > 0);
  ptx::commit_products();
}

// On which a consumer waits for the other to have started its last products.
constexpr int first_order_barrier = first_free_barrier + 2;

// The sums of a whole tile. A stage is released once the next one's products are started;
// all_started() is called when those of the last one are.
template <class Tile, class Started>
__device__ __forceinline__ void multiply_tile(typename Tile::Sums (&sums)[2], Ring<Tile>& ring,
                                              PipelineState<Tile::stages>& state, int steps,
                                              Started all_started) {
  const auto start = [&](bool accumulate) {
    const int stage = state.stage;
    ptx::wait(ring.full[stage], state.parity);
    multiply_rows<Tile>(sums, ring.a[stage], ring.b[stage], accumulate);
    state.next();
    return stage;
  };
  int running = start(false);
  for (int step = 1; step < steps; ++step) {
    const int started = start(true);
    ptx::wait_products<1>();
    release_stage(ring, running);
    running = started;
  }
  all_started();
  ptx::wait_products<0>();
  ptx::hold(sums[0]);
  ptx::hold(sums[1]);
  release_stage(ring, running);
}

template <class Tile, Way way>
__global__ void __launch_bounds__(block_threads<Tile>, 1)
    ping_pong(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
              const __grid_constant__ CUtensorMap d, Shape shape, Epilogue<typename Tile::T> out) {
  constexpr int cluster = Tile::cluster;
  extern __shared__ __align__(1024) unsigned char shared[];
  auto& block = storage_in<StagedStorage<Tile>>(shared);
  const int tiles = shape.order.tiles(), first = blockIdx.x / cluster;
  const int stride = gridDim.x / cluster;
  const auto loads = [&](int tile) {
    return Loads<Tile>(block.ring, a, b, shape, shape.order.at(tile));
  };
  const int early = open_ring(loads(first), cluster * warps_of(1), 0, shape.steps);

  PipelineState<Tile::stages> state;
  if (is_producer()) {
    ptx::give_registers<loader_registers>();
    if (threadIdx.x == 0) {
      state.skip(early);
      for (int tile = first; tile < tiles; tile += stride)
        produce(loads(tile), state, tile == first ? early : 0, shape.steps);
    }
    __syncwarp();
    leave_cluster<Tile>();
  } else {
    ptx::take_registers<multiplier_registers>();
    const int group = consumer_group();
    if (group == 1) state.skip(shape.steps);
    for (int tile = first + group * stride; tile < tiles; tile += 2 * stride) {
      typename Tile::Sums sums[2];
      const TilePlace at = own_place_now<Tile>(shape, tile);
      if (tile != first) ptx::sync_some(first_order_barrier + group, 2 * ptx::warp_group);
      multiply_tile<Tile>(sums, block.ring, state, shape.steps, [&] {
        if (tile + stride < tiles)
          ptx::arrive_some(first_order_barrier + 1 - group, 2 * ptx::warp_group);
      });
      state.skip(shape.steps);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const Corner corner = corner_of<Tile>(at, half);
        if constexpr (way == Way::gelu) finish_gelu(sums[half], out, corner);
        // Without this branch, which is hardly ever taken, ptxas sees the sums read while products
        // run, and starts each product when the one before has ended (C7514).
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
    leave_cluster<Tile>();
    finish_stores();
  }
  await_cluster<Tile>();
}

template <class T, bool A, bool B>
using OneWave = Tile<T, 128, 128, 6, A, B, 2>;
template <class T, bool A, bool B>
using ShortSums = Tile<T, 128, 192, 4, A, B, 2>;

constexpr int one_wave_k = 2048, short_k = 1024, narrow_n = 768;

// Tiles of a pair of blocks.
std::int64_t pair_tiles(const Args& args, int columns) {
  return args.batch() * ceil_div(args.m(), 256) * ceil_div(args.n(), columns);
}
// Whole tiles of 256 columns would keep most SMs busy, once.
bool one_wave(const Args& args) {
  const std::int64_t all = held_clusters<2>(), tiles = pair_tiles(args, 256);
  return args.k() <= one_wave_k && 2 * tiles > all && tiles <= all;
}
bool short_sums(const Args& args) {
  const std::int64_t all = held_clusters<2>();
  return args.k() <= short_k && args.n() <= narrow_n && pair_tiles(args, 192) >= 3 * all &&
         ceil_div(args.n(), 192) * 192 <= ceil_div(args.n(), 256) * 256;
}

template <class T>
bool only_scaled(const Epilogue<T>& e) {
  return !e.c && !e.bias && e.activation == Activation::none;
}

std::string fits(const Args& args) {
  if (const std::string why = supports(args); !why.empty()) return why;
  if (size_of(args.a.dtype) != 2 || args.d.dtype != args.a.dtype)
    return "16-bit inputs and results only";
  if (args.d.size() == 0) return {};
  if (laid(args.a, 1).mn_major) return "wants k contiguous in a";
  if (!engine_stores(stack_of_d(args))) return "stores rows of d at multiples of 16 bytes only";
  const auto e = problem_of<__half>(args).out;
  if (!only_scaled(e) && !only_gelu(e)) return "has no epilogue but alpha or GELU with a bias";
  return {};
}

std::string pays(const Args& args) {
  if (short_sums(args)) return {};
  if (args.activation == Activation::none && one_wave(args)) return {};
  return "neither one wave of tiles with k up to 2048 and no activation, nor many of few columns "
         "with k "
         "up to 1024: wider tiles read less";
}

template <class Block, Way way>
void launch_ping_pong(const Args& args, cudaStream_t stream) {
  using T = typename Block::T;
  const Shape shape = shape_of<Block, Block::cluster>(args, band_rows / Block::cluster);
  const auto clusters = std::min<unsigned>(shape.order.tiles(), held_clusters<Block::cluster>());
  staged_launch<Block>(stream)(ping_pong<Block, way>, clusters, map_of_a<Block>(args),
                               map_of_b<Block>(args), map_of_d(args), shape,
                               problem_of<T>(args).out);
}

void launch(const Args& args, cudaStream_t stream) {
  by_form(args, [&]<class T, bool A, bool B>(Form<T, A, B>) {
    if constexpr (sizeof(T) == 2 && !A) {
      if (args.activation == Activation::gelu)
        launch_ping_pong<ShortSums<T, A, B>, Way::gelu>(args, stream);
      else if (short_sums(args))
        launch_ping_pong<ShortSums<T, A, B>, Way::plain>(args, stream);
      else
        launch_ping_pong<OneWave<T, A, B>, Way::plain>(args, stream);
    }
  });
}

WARPATH_RUNG(Args, launch, .supports = fits, .preferred = pays);

}  // namespace
}  // namespace warpath::matmul
