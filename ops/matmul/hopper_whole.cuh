// A persistent kernel whose clusters take whole tiles, one after the other.
//
// What a tile costs beside its products is what short sums along k are slow by. So in the usual case, 16-bit results that
// the copy engine stores, a tile waits in registers, rounded, and leaves patch by patch while the next one's first
// products run: all at once they would keep the engine from loading. That case has a kernel of its own, and once more
// where d is the plain sum: other code beside it takes registers, and is jumped over at every tile.
#pragma once
#include "hopper_run.cuh"

namespace warpath::matmul::hopper {

inline constexpr int run_band = 16;  // in tiles of 128 rows

// How d leaves: as the rounded sums, through GELU with or without a bias, through any epilogue, or in a way found out by
// the kernel.
enum class Way { plain, gelu, finished, any };

template <class T>
bool only_gelu(const Epilogue<T>& e) {
  return e.alpha == 1.0f && !e.c && e.activation == Activation::gelu &&
         (!e.bias || e.bias_in_pairs);
}
template <class T, int Count>
__device__ __forceinline__ void finish_gelu(float (&sums)[Count], const Epilogue<T>& out,
                                            Corner at) {
  const T* const bias = out.bias + at.column;
  const int last = int(out.n - at.column) - 2;
  const auto each = [&](auto place) {
#pragma unroll
    for (int j = 0; j < Count / 4; ++j) {
      Vector<T, 2> two{};
      if (out.bias) two = load<2>(bias + place(8 * j));
      for_each_of(reinterpret_cast<Quad&>(sums[4 * j]), [&](float& sum, int, int right) {
        sum = gelu_by_tanh(sum + to_float(two.at[right]));
      });
    }
  };
  // Beyond the last column they take its bias, and nobody stores them. To reckon 32 places takes longer than to jump over
  // the code that does.
  last >= 2 * Count - 8 ? each([](int j) { return j; }) : each([&](int j) { return min(j, last); });
}

// The products of a tile, in whose first steps the tile kept before leaves. Returns where it lies.
template <class Tile, class Consumer, class Kept>
__device__ __forceinline__ TilePlace multiply_and_store(Consumer consumer, const Shape& shape,
                                                        int tile, const Kept& kept,
                                                        Staging& staging, const CUtensorMap& d,
                                                        int group) {
  TilePlace at{};
  consumer.begin();
#pragma unroll
  for (int patch = 0; patch < Kept::patches; ++patch)
    consumer.step([&] {
      if (patch == 0) at = settled_place<Tile>(shape, tile);
      kept.store(patch, staging, d, group);
    });
  consumer.steps(shape.steps - 1 - Kept::patches);
  consumer.end();
  return at;
}

// The last tile of a block leaves from the ring: no stage is filled any more, and this group's rows of a are read by nobody
// else.
template <class Kept, class Tile>
__device__ __forceinline__ void store_last(const Kept& kept, RunStorage<Tile>& block,
                                           const CUtensorMap& d, int group) {
  static_assert(Kept::patches <= Tile::stages && Tile::A::bytes == Tile::groups * patch_bytes);
  kept.store_last(d, group, [&](int patch) { return block.ring.a[patch] + group * patch_bytes; });
}

template <class Tile, Way way>
__global__ void __launch_bounds__(run_threads<Tile>, 1)
    whole_tiles(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                const __grid_constant__ CUtensorMap d, Shape shape, Output<typename Tile::T> out) {
  constexpr int cluster = Tile::cluster;
  extern __shared__ __align__(1024) unsigned char shared[];
  auto& block = storage_in<RunStorage<Tile>>(shared);
  const int tiles = shape.order.tiles(), first = blockIdx.x / cluster;
  const int stride = gridDim.x / cluster;
  const int early = open_ring(Loads<Tile>(block.ring, a, b, shape, shape.order.at(first)),
                              cluster * warps_of(Tile::groups), 0, shape.steps);

  Turn<Tile::stages> turn;
  if (is_producer()) {
    ptx::give_registers<producer_registers>();
    load_whole_tiles(block.ring, a, b, shape, turn, first, tiles, stride, early);
  } else {
    ptx::take_registers<consumer_registers>();
    const int group = consumer_group();
    Staging& staging = block.staging[group];
    KeptTile<Tile> kept;
    for (int tile = first; tile < tiles; tile += stride) {
      typename Tile::Sums sums;
      auto consumer = sharing_consumer<Tile>(block.ring, turn, sums, group);
      if constexpr (way == Way::any) {
        consumer.begin();
        const TilePlace at = settled_place<Tile>(shape, tile);
        consumer.steps(shape.steps - 1);
        consumer.end();
        store_tile<Tile>(sums, out, block, d, at);
      } else {
        const TilePlace at =
            multiply_and_store<Tile>(consumer, shape, tile, kept, staging, d, group);
        if constexpr (way == Way::gelu)
          finish_gelu(sums, out.epilogue, corner_of<Tile>(at, group));
        else if constexpr (way == Way::finished)
          finish(sums, out.epilogue, corner_of<Tile>(at, group));
        kept.keep(sums, at);
      }
    }
    leave_sharers<Tile>();
    if constexpr (way != Way::any) store_last(kept, block, d, group);
    finish_stores();
  }
  await_sharers<Tile>();
}

template <class Tile>
void launch_whole(const Args& args, cudaStream_t stream) {
  const Shape shape = shape_of<Tile, Tile::cluster>(args, run_band / Tile::cluster);
  const auto clusters = std::min<unsigned>(shape.order.tiles(), held_clusters<Tile::cluster>());
  const auto out = output_of<typename Tile::T>(args);
  const auto launch = [&](auto kernel) {
    run_launch<Tile>(stream)(kernel, clusters, map_of_a<Tile>(args), map_of_b<Tile>(args),
                             map_of_d(args), shape, out);
  };
  // A single block has but a few rows of tiles: not worth the compiling.
  if constexpr (sizeof(typename Tile::T) == 2 && Tile::cluster > 1) {
    const bool kept = out.by_engine && !out.epilogue.to_float;
    if (kept && shape.steps > KeptTile<Tile>::patches)
      return out.epilogue.plain()      ? launch(whole_tiles<Tile, Way::plain>)
             : only_gelu(out.epilogue) ? launch(whole_tiles<Tile, Way::gelu>)
                                       : launch(whole_tiles<Tile, Way::finished>);
  }
  launch(whole_tiles<Tile, Way::any>);
}

}  // namespace warpath::matmul::hopper
