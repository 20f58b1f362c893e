// Whole waves of tiles, then one of narrower ones, for rung 18.
//
// Where the tiles do not divide by the number of clusters, some of these have nothing to do in the
// last wave. If few enough tiles are left, the last rows of d, or its last columns, are cut into
// tiles of three quarters the width instead: more clusters have one, and all are done in three
// quarters of the time. Nothing has to be added up.
#include "ops/matmul/matmul/hopper_epilogue.cuh"
#include "ops/matmul/matmul/hopper_tiles.cuh"

namespace warpath::matmul {
namespace {

using namespace hopper;

// A narrower tile that goes through the same ring as the wide one.
template <class Wide>
using NarrowTile = Tile<typename Wide::T, Wide::m, Wide::n * 3 / 4, Wide::stages, Wide::A::mn_major,
                        Wide::B::mn_major, Wide::cluster, Wide::n>;

// A part of d, with what it is made of.
struct Region {
  CUtensorMap a, b, d;
  Shape shape;
};

template <class Tile>
__global__ void __launch_bounds__(block_threads<Tile>, 1)
    narrow_last_wave(const __grid_constant__ Region whole, const __grid_constant__ Region rest) {
  using Narrow = NarrowTile<Tile>;
  constexpr int cluster = Tile::cluster;
  extern __shared__ __align__(1024) unsigned char shared[];
  auto& block = storage_in<StagedStorage<Tile>>(shared);
  static_assert(sizeof(Ring<Narrow>) == sizeof(Ring<Tile>));
  auto& narrow_ring = reinterpret_cast<Ring<Narrow>&>(block.ring);  // the same stages and barriers
  const int tiles = whole.shape.order.tiles(), first = blockIdx.x / cluster;
  const int stride = gridDim.x / cluster;
  const bool has_rest = first < rest.shape.order.tiles();
  const auto loads = [&](int tile) {
    return Loads<Tile>(block.ring, whole.a, whole.b, whole.shape, whole.shape.order.at(tile));
  };
  const int early = open_ring(loads(first), cluster * warps_of(Tile::groups), 0, whole.shape.steps);

  PipelineState<Tile::stages> state;
  if (is_producer()) {
    ptx::give_registers<producer_registers>();
    if (threadIdx.x == 0) {
      state.skip(early);
      for (int tile = first; tile < tiles; tile += stride)
        produce(loads(tile), state, tile == first ? early : 0, whole.shape.steps);
      if (has_rest)
        produce(Loads<Narrow>(narrow_ring, rest.a, rest.b, rest.shape, rest.shape.order.at(first)),
                state, 0, rest.shape.steps);
    }
    __syncwarp();
    leave_cluster<Tile>();
  } else {
    ptx::take_registers<consumer_registers>();
    const int group = consumer_group();
    Staging& staging = block.staging[group];
    KeptTile<Tile> kept;
    for (int tile = first; tile < tiles; tile += stride) {
      typename Tile::Sums sums;
      const TilePlace at =
          multiply_and_store<Tile>(cluster_consumer<Tile>(block.ring, state, sums, group),
                                   whole.shape, tile, kept, staging, whole.d, group);
      kept.keep(sums, at);
    }
    KeptTile<Narrow> last;
    if (has_rest) {
      typename Narrow::Sums sums;
      const TilePlace at =
          multiply_and_store<Narrow>(cluster_consumer<Narrow>(narrow_ring, state, sums, group),
                                     rest.shape, first, kept, staging, whole.d, group);
      last.keep(sums, at);
    }
    leave_cluster<Tile>();
    if (has_rest)
      last.store_last(block.ring, rest.d, group);
    else
      kept.store_last(block.ring, whole.d, group);
    finish_stores();
  }
  await_cluster<Tile>();
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
          shape_of<Tile, Tile::cluster>(part, band_rows / Tile::cluster)};
}

template <class T, bool A, bool B>
using Whole = WideTile<2, T, A, B>;
using AnyWhole = Whole<__half, false, false>;  // its sizes are those of all

}  // namespace

// The kernel takes a d that is the plain sum, of 16 bits, and stored by the engine.
WholePart hopper::whole_part(const Args& args) {
  using Tile = AnyWhole;
  using Narrow = NarrowTile<Tile>;
  const auto out = output_of<__half>(args);
  if (args.batch() != 1 || !out.by_engine || out.epilogue.to_float || !out.epilogue.plain() ||
      args.k() <= KeptTile<Tile>::patches * Tile::k + Tile::k)
    return {};
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

void hopper::launch_narrow_last_wave(const Args& args, const WholePart& whole,
                                     cudaStream_t stream) {
  const bool below = whole.rows < args.m();
  const std::int64_t row = below ? whole.rows : 0, column = below ? 0 : whole.columns;
  by_form(args, [&]<class T, bool A, bool B>(Form<T, A, B>) {
    if constexpr (sizeof(T) == 2) {
      using Tile = Whole<T, A, B>;
      staged_launch<Tile>(stream)(
          narrow_last_wave<Tile>, held_clusters<Tile::cluster>(),
          region_of<Tile>(args, 0, whole.rows, 0, whole.columns),
          region_of<NarrowTile<Tile>>(args, row, args.m() - row, column, args.n() - column));
    }
  });
}

}  // namespace warpath::matmul
