// Sums of tiles, a scan of those sums, then each tile by itself from its own start.
//
// What changed: a row is cut into tiles of 2048 elements, which all SMs share. The first launch reduces each tile to one
// value, the second scans these values (one block per row: they are few), the third scans each tile, starting from what
// comes before it. Any length, and as many blocks as there are tiles.
// Limit: x is read twice, so three elements move where two would do, and the launches wait for each other.
#include "ops/order/scan/walk.cuh"

namespace warpath::scan {
namespace {

constexpr std::int64_t tile = 8 * threads;

template <class T, class Op>
__global__ void __launch_bounds__(threads)
    tile_sums(Rows<T> rows, Value<T>* sums, std::int64_t tiles, Op op) {
  using A = Value<T>;
  __shared__ A slots[threads / 32];
  const std::int64_t row = blockIdx.x / tiles, first = blockIdx.x % tiles * tile;
  const std::int64_t n = min(tile, rows.cols - first);
  A mine = Op::template identity<A>();  // of no order: all our operators commute
  for (std::int64_t j = threadIdx.x; j < n; j += threads)
    mine = op(mine, widen(rows.x[rows.at(row, first + j)]));
  const A all = block_reduce<threads>(mine, op, slots);
  if (threadIdx.x == 0) sums[blockIdx.x] = all;
}

template <class A, class Op>
__global__ void __launch_bounds__(threads) scan_sums(A* sums, std::int64_t tiles, Op op) {
  A* const mine = sums + blockIdx.x * tiles;
  walk(
      tiles, Op::template identity<A>(), op, [&](std::int64_t j) { return mine[j]; },
      [&](std::int64_t j, A before, A) { mine[j] = before; });
}

template <class T, class Op>
__global__ void __launch_bounds__(threads)
    scan_tiles(Rows<T> rows, const Value<T>* before_tile, std::int64_t tiles, Op op) {
  using A = Value<T>;
  const std::int64_t row = blockIdx.x / tiles, first = blockIdx.x % tiles * tile;
  walk(
      min(tile, rows.cols - first), before_tile[blockIdx.x], op,
      [&](std::int64_t j) { return widen(rows.x[rows.at(row, first + j)]); },
      [&](std::int64_t j, A before, A value) {
        rows.y[rows.at(row, first + j)] = narrow<T>(rows.exclusive ? before : op(before, value));
      });
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.x.size() == 0) return;
  dispatch_scan(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    const std::int64_t rows = args.x.shape[0], tiles = ceil_div(args.x.shape[1], tile);
    const unsigned blocks = grid_x(rows * tiles, 1);
    auto* const sums = static_cast<Value<T>*>(args.scratch.data);
    tile_sums<<<blocks, threads, 0, stream>>>(Rows<T>(args), sums, tiles, op);
    scan_sums<<<grid_x(rows, 1), threads, 0, stream>>>(sums, tiles, op);
    scan_tiles<<<blocks, threads, 0, stream>>>(Rows<T>(args), sums, tiles, op);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Args& args) {
  const std::int64_t value = std::max<std::int64_t>(4, size_of(args.x.dtype));
  return args.x.shape[0] * ceil_div(args.x.shape[1], tile) * value;
}

WARPATH_RUNG(Args, launch, .supports = no_segments, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::scan
