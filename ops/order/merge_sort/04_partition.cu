// Larger tiles to begin with, and the edges of all tiles of a merge found before it, by a warp each.
//
// What changed: a block of 512 threads sorts 8704 elements, one pass over memory less. Before each merge, a launch finds the co-ranks
// of all its tiles, 32 places at a time: five steps of waiting instead of up to 24, and no block waits before it loads.
// Limit: twelve passes over memory for 2^24 elements, and the serial merges, in which each load from shared memory waits
// for the comparison before it.
#include "core/host/device.cuh"
#include "ops/order/merge_sort/sort_tile.cuh"

namespace warpath::merge_sort {
namespace {

constexpr int threads = 256, items = 17, tile = threads * items;  // of a merge
constexpr int sort_threads = 512, sorted = sort_threads * items;
static_assert(sorted % tile == 0, "a tile of a merge lies in one pair of runs");

template <class T, bool Pairs>
using SortSlots = TileSlots<T, sort_threads, items, Pairs>;

template <class T, bool Pairs, class Order>
__global__ void __launch_bounds__(sort_threads, 2)
    sort_tiles(Sequence<T> from, Sequence<T> to, std::int64_t n, Order order) {
  extern __shared__ __align__(16) unsigned char memory[];
  sort_tile(*reinterpret_cast<SortSlots<T, Pairs>*>(memory), from, to,
            std::int64_t(blockIdx.x) * sorted, n, order);
}

// edges[t]: where in its first run tile t begins
template <class T, class Order>
__global__ void __launch_bounds__(threads)
    find_edges(const T* keys, std::int64_t* edges, std::int64_t n, std::int64_t run, Order order) {
  const std::int64_t t = (std::int64_t(blockIdx.x) * threads + threadIdx.x) / 32, first = t * tile;
  if (first >= n) return;
  const Runs runs = Runs::at(first, run, n);
  const std::int64_t edge =
      runs.begin + warp_co_rank(first - runs.begin, keys + runs.begin, runs.middle - runs.begin,
                                keys + runs.middle, runs.end - runs.middle, order);
  if (threadIdx.x % 32 == 0) edges[t] = edge;
}

template <class T, bool Pairs, class Order>
__global__ void __launch_bounds__(threads, 4)
    merge_tiles(Sequence<T> from, Sequence<T> to, const std::int64_t* edges, std::int64_t n,
                std::int64_t run, Order order) {
  __shared__ TileSlots<T, threads, items, Pairs> slots;
  const std::int64_t first = std::int64_t(blockIdx.x) * tile;
  const std::int64_t end = first + tile < n ? first + tile : n;
  const Runs runs = Runs::at(first, run, n);
  const std::int64_t a = edges[blockIdx.x];
  const std::int64_t end_a = end == runs.end ? runs.middle : edges[blockIdx.x + 1];
  const std::int64_t b = runs.middle + (first - a), end_b = runs.middle + (end - end_a);
  merge_tile(slots, from.keys + a, from.values + a, int(end_a - a), from.keys + b, from.values + b,
             int(end_b - b), to.keys + first, to.values + first, order);
}

template <class T, bool Pairs, class Order>
void sort(const Args& args, Order order, cudaStream_t stream) {
  const std::int64_t n = args.keys.size(), tiles = ceil_div(n, std::int64_t(tile));
  const auto buffers = Buffers<T>::of(args, 1 + passes_of(n, sorted));
  std::int64_t* const edges =
      reinterpret_cast<std::int64_t*>(static_cast<char*>(args.scratch.data) + buffer_bytes(args));
  const auto sort_all = sort_tiles<T, Pairs, Order>;
  const int bytes = allow_shared(sort_all, sizeof(SortSlots<T, Pairs>));
  sort_all<<<grid_x(n, sorted), sort_threads, bytes, stream>>>(input_of<T>(args),
                                                               buffers.written_by(0), n, order);
  std::int64_t run = sorted;
  for (int i = 1; i < buffers.launches; ++i, run *= 2) {
    const Sequence<T> from = buffers.written_by(i - 1);
    find_edges<T>
        <<<grid_x(tiles, threads / 32), threads, 0, stream>>>(from.keys, edges, n, run, order);
    merge_tiles<T, Pairs><<<grid_x(tiles, 1), threads, 0, stream>>>(from, buffers.written_by(i),
                                                                    edges, n, run, order);
  }
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

std::int64_t scratch_bytes(const Args& args) {
  return buffer_bytes(args) +
         std::int64_t(sizeof(std::int64_t)) * ceil_div(args.keys.size(), std::int64_t(tile));
}

std::string supports(const Args&) {
  return enough_shared_memory(sizeof(SortSlots<int, true>));
}

WARPATH_RUNG(Args, launch, .supports = supports, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::merge_sort
