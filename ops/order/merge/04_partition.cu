// The edges of all tiles are found first, by a warp each, 32 places at a time.
//
// What changed: a launch of its own finds the co-rank of every tile's first output. Here a warp looks at 32 places at once, so that 2^25
// elements take five steps instead of 25, and all tiles search at the same time. A block of the second launch reads two
// numbers and starts to load its keys and values, all of them in flight together.
// Limit: the memory, and the serial merge of 17 items per thread, in which each load from shared memory waits for the comparison
// before it.
#include "ops/order/merge/call.cuh"
#include "ops/order/merge_tile.cuh"

namespace warpath::merge {
namespace {

constexpr int threads = 256, items = 17, tile = threads * items;

// edges[t]: co-rank of output t * tile, for t up to the number of tiles
template <class T, class Order>
__global__ void __launch_bounds__(threads)
    find_edges(Call<T> call, std::int64_t tiles, std::int64_t* edges, Order order) {
  const std::int64_t t = (std::int64_t(blockIdx.x) * threads + threadIdx.x) / 32;
  if (t > tiles) return;
  const std::int64_t size = call.n + call.m, k = t * tile < size ? t * tile : size;
  const std::int64_t edge = warp_co_rank(k, call.a, call.n, call.b, call.m, order);
  if (threadIdx.x % 32 == 0) edges[t] = edge;
}

template <class T, bool Pairs, class Order>
__global__ void __launch_bounds__(threads, 4)
    merge_tiles(Call<T> call, const std::int64_t* edges, Order order) {
  __shared__ TileSlots<T, threads, items, Pairs> slots;
  const std::int64_t first = std::int64_t(blockIdx.x) * tile, size = call.n + call.m;
  const std::int64_t end = first + tile < size ? first + tile : size;
  const std::int64_t a = edges[blockIdx.x], end_a = edges[blockIdx.x + 1];
  const std::int64_t b = first - a, end_b = end - end_a;
  merge_tile(slots, call.a + a, call.a_values + a, int(end_a - a), call.b + b, call.b_values + b,
             int(end_b - b), call.y + first, call.y_values + first, order);
}

std::int64_t tiles_of(const Args& args) {
  return ceil_div(args.y.size(), std::int64_t(tile));
}

void launch(const Args& args, cudaStream_t stream) {
  check_values(args);
  if (args.y.size() == 0) return;
  const std::int64_t tiles = tiles_of(args);
  std::int64_t* const edges = static_cast<std::int64_t*>(args.scratch.data);
  dispatch_order(args.a.dtype, args.comparison, [&](auto tag, auto order) {
    using T = typename decltype(tag)::type;
    const Call<T> call = Call<T>::of(args);
    find_edges<T>
        <<<grid_x(tiles + 1, threads / 32), threads, 0, stream>>>(call, tiles, edges, order);
    if (args.has_values())
      merge_tiles<T, true><<<grid_x(tiles, 1), threads, 0, stream>>>(call, edges, order);
    else
      merge_tiles<T, false><<<grid_x(tiles, 1), threads, 0, stream>>>(call, edges, order);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Args& args) {
  return std::int64_t(sizeof(std::int64_t)) * (tiles_of(args) + 1);
}

WARPATH_RUNG(Args, launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::merge
