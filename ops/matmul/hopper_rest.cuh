// Whole rounds of tiles, then one round of narrower ones.
//
// Where the tiles do not divide by the number of clusters, some of these have nothing to do in the last round. If few enough
// are left, the last rows of d, or its last columns, are cut into tiles of three quarters the width instead: more clusters
// have one, and all are done in three quarters of the time. Nothing has to be added up.
#pragma once
#include "hopper_whole.cuh"

namespace warpath::matmul::hopper {

// A narrower tile that goes through the same ring as the wide one.
template <class Wide>
using NarrowTile = Tile<typename Wide::T, Wide::m, Wide::n * 3 / 4, Wide::stages, Wide::A::across,
                        Wide::B::across, Wide::cluster, Wide::n>;

// A part of d, with what it is made of.
struct Region {
  CUtensorMap a, b, d;
  Shape shape;
};

template <class Tile>
__global__ void __launch_bounds__(run_threads<Tile>, 1)
    whole_then_narrow(const __grid_constant__ Region whole, const __grid_constant__ Region rest) {
  using Narrow = NarrowTile<Tile>;
  constexpr int cluster = Tile::cluster;
  extern __shared__ __align__(1024) unsigned char shared[];
  auto& block = storage_in<RunStorage<Tile>>(shared);
  static_assert(sizeof(Ring<Narrow>) == sizeof(Ring<Tile>));
  auto& narrow_ring = reinterpret_cast<Ring<Narrow>&>(block.ring);  // the same stages and barriers
  const int tiles = whole.shape.order.tiles(), first = blockIdx.x / cluster;
  const int stride = gridDim.x / cluster;
  const bool has_rest = first < rest.shape.order.tiles();
  const int early =
      open_ring(Loads<Tile>(block.ring, whole.a, whole.b, whole.shape, whole.shape.order.at(first)),
                cluster * warps_of(Tile::groups), 0, whole.shape.steps);

  Turn<Tile::stages> turn;
  if (is_producer()) {
    ptx::give_registers<producer_registers>();
    if (threadIdx.x == 0) {
      ask_for_tiles(block.ring, whole.a, whole.b, whole.shape, turn, first, tiles, stride, early);
      if (has_rest)
        produce(Loads<Narrow>(narrow_ring, rest.a, rest.b, rest.shape, rest.shape.order.at(first)),
                turn, 0, rest.shape.steps);
    }
    __syncwarp();
    leave_sharers<Tile>();
  } else {
    ptx::take_registers<consumer_registers>();
    const int group = consumer_group();
    Staging& staging = block.staging[group];
    KeptTile<Tile> kept;
    for (int tile = first; tile < tiles; tile += stride) {
      typename Tile::Sums sums;
      const TilePlace at =
          multiply_and_store<Tile>(sharing_consumer<Tile>(block.ring, turn, sums, group),
                                   whole.shape, tile, kept, staging, whole.d, group);
      kept.keep(sums, at);
    }
    KeptTile<Narrow> last;
    if (has_rest) {
      typename Narrow::Sums sums;
      const TilePlace at =
          multiply_and_store<Narrow>(sharing_consumer<Narrow>(narrow_ring, turn, sums, group),
                                     rest.shape, first, kept, staging, whole.d, group);
      last.keep(sums, at);
    }
    leave_sharers<Tile>();
    if (has_rest)
      store_last(last, block, rest.d, group);
    else
      store_last(kept, block, whole.d, group);
    finish_stores();
  }
  await_sharers<Tile>();
}

// How much of d whole tiles take, in rows and columns; the other rows, or the other columns, are the rest.
struct WholePart {
  std::int64_t rows = 0, columns = 0;  // none: all of d
  explicit operator bool() const { return rows > 0; }
};

// The calls that the kernel takes: d is the plain sum, of 16 bits, and stored by the engine.
template <class Tile>
bool may_have_rest(const Args& args) {
  if constexpr (Tile::cluster == 1 || Tile::groups != 2 || sizeof(typename Tile::T) != 2)
    return false;
  const auto out = output_of<typename Tile::T>(args);
  return args.batch() == 1 && out.by_engine && !out.epilogue.to_float && out.epilogue.plain() &&
         args.k() > KeptTile<Tile>::patches * Tile::k + Tile::k;
}

template <class Tile>
WholePart whole_part(const Args& args) {
  using Narrow = NarrowTile<Tile>;
  if (!may_have_rest<Tile>(args)) return {};
  constexpr int high = Tile::m * Tile::cluster;
  const std::int64_t rows = ceil_div(args.m(), high), columns = ceil_div(args.n(), Tile::n);
  const std::int64_t all = held_clusters<Tile::cluster>(), most = rows * columns / all * all;
  if (most == rows * columns) return {};
  const std::int64_t down = most / columns, across = most / rows;  // of whole tiles
  if (down * columns >= all && (rows - down) * ceil_div(args.n(), Narrow::n) <= all)
    return {down * high, args.n()};
  if (across * rows >= all && rows * ceil_div(args.n() - across * Tile::n, Narrow::n) <= all)
    return {args.m(), across * Tile::n};
  return {};
}

template <class Tile>
Region region_of(const Args& args, std::int64_t row, std::int64_t rows, std::int64_t column,
                 std::int64_t columns) {
  const auto moved = [](const Tensor& t, std::int64_t elements) {
    return static_cast<char*>(t.data) + elements * std::int64_t(size_of(t.dtype));
  };
  Args part = args;
  part.a.data = moved(args.a, row * args.a.stride[1]);
  part.a.shape[1] = part.d.shape[1] = rows;
  part.b.data = moved(args.b, column * args.b.stride[2]);
  part.b.shape[2] = part.d.shape[2] = columns;
  const MatrixStack d = {
      args.d.dtype,       moved(args.d, row * args.n() + column), columns, rows, 1, args.n(),
      args.m() * args.n()};
  return {map_of_a<Tile>(part), map_of_b<Tile>(part), tensor_map(d, patch_rows),
          shape_of<Tile, Tile::cluster>(part, run_band / Tile::cluster)};
}

template <class Tile>
void launch_rest(const Args& args, const WholePart& whole, cudaStream_t stream) {
  const bool below = whole.rows < args.m();
  const std::int64_t row = below ? whole.rows : 0, column = below ? 0 : whole.columns;
  run_launch<Tile>(stream)(
      whole_then_narrow<Tile>, held_clusters<Tile::cluster>(),
      region_of<Tile>(args, 0, whole.rows, 0, whole.columns),
      region_of<NarrowTile<Tile>>(args, row, args.m() - row, column, args.n() - column));
}

}  // namespace warpath::matmul::hopper
