// A block sorts 4352 elements in shared memory, and merges tiles of the same size.
//
// What changed: twelve levels of the sort happen inside a block, so the array goes through memory 13 times instead of 21 for 2^24
// elements. In the merges a block finds the edges of its tile by two searches, and all loads and stores are coalesced.
// Limit: each block of a merge begins with a search of up to 24 loads that wait for each other.
#include "ops/order/merge_sort/sort_tile.cuh"

namespace warpath::merge_sort {
namespace {

constexpr int threads = 256, items = 17, tile = threads * items;

template <class T, bool Pairs, class Order>
__global__ void __launch_bounds__(threads)
    sort_tiles(Sequence<T> from, Sequence<T> to, std::int64_t n, Order order) {
  __shared__ TileSlots<T, threads, items, Pairs> slots;
  sort_tile(slots, from, to, std::int64_t(blockIdx.x) * tile, n, order);
}

template <class T, bool Pairs, class Order>
__global__ void __launch_bounds__(threads)
    merge_tiles(Sequence<T> from, Sequence<T> to, std::int64_t n, std::int64_t run, Order order) {
  __shared__ TileSlots<T, threads, items, Pairs> slots;
  __shared__ std::int64_t edges[2];
  const std::int64_t first = std::int64_t(blockIdx.x) * tile;
  const std::int64_t end = first + tile < n ? first + tile : n;
  const Runs runs = Runs::at(first, run, n);
  if (threadIdx.x < 2)
    edges[threadIdx.x] =
        runs.begin + co_rank((threadIdx.x == 0 ? first : end) - runs.begin, from.keys + runs.begin,
                             runs.middle - runs.begin, from.keys + runs.middle,
                             runs.end - runs.middle, order);
  __syncthreads();
  const std::int64_t a = edges[0], end_a = edges[1];
  const std::int64_t b = runs.middle + (first - a), end_b = runs.middle + (end - end_a);
  merge_tile(slots, from.keys + a, from.values + a, int(end_a - a), from.keys + b, from.values + b,
             int(end_b - b), to.keys + first, to.values + first, order);
}

template <class T, bool Pairs, class Order>
void sort(const Args& args, Order order, cudaStream_t stream) {
  const std::int64_t n = args.keys.size();
  const unsigned grid = grid_x(n, tile);
  const auto buffers = Buffers<T>::of(args, 1 + passes_of(n, tile));
  sort_tiles<T, Pairs>
      <<<grid, threads, 0, stream>>>(input_of<T>(args), buffers.written_by(0), n, order);
  std::int64_t run = tile;
  for (int i = 1; i < buffers.launches; ++i, run *= 2)
    merge_tiles<T, Pairs><<<grid, threads, 0, stream>>>(buffers.written_by(i - 1),
                                                        buffers.written_by(i), n, run, order);
}

void launch(const Args& args, cudaStream_t stream) {
  check_values(args);
  if (args.keys.size() == 0) return;
  dispatch_order(args.keys.dtype, args.comparison, [&](auto tag, auto order) {
    using T = typename decltype(tag)::type;
    args.has_values() ? sort<T, true>(args, order, stream) : sort<T, false>(args, order, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch, .scratch = buffer_bytes);

}  // namespace
}  // namespace warpath::merge_sort
