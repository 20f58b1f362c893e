// A thread sorts sixteen elements in registers, then writes sixteen outputs of every merge.
//
// What changed: a thread finds by co-rank where its 16 outputs begin in both runs, so all threads work in every launch, up to the last
// merge. And it starts with 16 elements in registers, sorted by compare and exchange of neighbours: four launches less.
// Limit: threads of a warp read and write 16 elements apart, and each launch moves everything through memory: 20 launches for 2^24
// elements.
#include "ops/order/co_rank.cuh"
#include "ops/order/merge_sort/passes.cuh"
#include "ops/order/merge_sort/sort_items.cuh"

namespace warpath::merge_sort {
namespace {

constexpr int threads = 128, items = 16;

template <class T, class Order>
__global__ void __launch_bounds__(threads)
    sort_short(Sequence<T> from, Sequence<T> to, std::int64_t n, Order order) {
  const std::int64_t first = (std::int64_t(blockIdx.x) * threads + threadIdx.x) * items;
  T keys[items];
  int values[items];
#pragma unroll
  for (int j = 0; j < items; ++j) {
    keys[j] = first + j < n ? from.keys[first + j] : order.template last<T>();
    values[j] = first + j < n && from.values ? from.values[first + j] : 0;
  }
  sort_items<true>(keys, values, order);
#pragma unroll
  for (int j = 0; j < items; ++j) {
    if (first + j >= n) continue;
    to.keys[first + j] = keys[j];
    if (to.values) to.values[first + j] = values[j];
  }
}

template <class T, class Order>
__global__ void __launch_bounds__(threads)
    merge_runs(Sequence<T> from, Sequence<T> to, std::int64_t n, std::int64_t run, Order order) {
  const std::int64_t first = (std::int64_t(blockIdx.x) * threads + threadIdx.x) * items;
  if (first >= n) return;
  const Runs runs = Runs::at(first, run, n);
  const std::int64_t end = first + items < n ? first + items : n;
  std::int64_t a =
      runs.begin + co_rank(first - runs.begin, from.keys + runs.begin, runs.middle - runs.begin,
                           from.keys + runs.middle, runs.end - runs.middle, order);
  std::int64_t b = runs.middle + (first - a);
  for (std::int64_t at = first; at < end; ++at) {
    const bool from_b =
        b < runs.end && (a == runs.middle || order.rank(from.keys[b]) < order.rank(from.keys[a]));
    to.put(at, from, from_b ? b++ : a++);
  }
}

void launch(const Args& args, cudaStream_t stream) {
  check_values(args);
  const std::int64_t n = args.keys.size();
  if (n == 0) return;
  dispatch_order(args.keys.dtype, args.comparison, [&](auto tag, auto order) {
    using T = typename decltype(tag)::type;
    const unsigned grid = grid_x(n, threads * items);
    const auto buffers = Buffers<T>::of(args, 1 + passes_of(n, items));
    sort_short<T><<<grid, threads, 0, stream>>>(input_of<T>(args), buffers.written_by(0), n, order);
    std::int64_t run = items;
    for (int i = 1; i < buffers.launches; ++i, run *= 2)
      merge_runs<T><<<grid, threads, 0, stream>>>(buffers.written_by(i - 1), buffers.written_by(i),
                                                  n, run, order);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch, .scratch = buffer_bytes);

}  // namespace
}  // namespace warpath::merge_sort
