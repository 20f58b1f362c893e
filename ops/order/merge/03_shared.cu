// One block, one tile of the output, merged in shared memory.
//
// What changed: a block needs one stretch of a and one of b, as long as its output together. Two searches find where they begin and
// end. Then everything between global and shared memory is coalesced, and each thread's own search and merge
// (ops/order/merge_tile.cuh) run in shared memory. 17 items per thread: an odd number, so that neighbouring threads hit
// different banks.
// Limit: a block begins with about 25 loads that wait for each other, and nothing else happens meanwhile.
#include "ops/order/merge/call.cuh"
#include "ops/order/merge_tile.cuh"

namespace warpath::merge {
namespace {

constexpr int threads = 256, items = 17, tile = threads * items;

template <class T, bool Pairs, class Order>
__global__ void __launch_bounds__(threads) shared(Call<T> call, Order order) {
  __shared__ TileSlots<T, threads, items, Pairs> slots;
  __shared__ std::int64_t edges[2];
  const std::int64_t first = std::int64_t(blockIdx.x) * tile, size = call.n + call.m;
  const std::int64_t end = first + tile < size ? first + tile : size;
  if (threadIdx.x < 2)
    edges[threadIdx.x] =
        co_rank(threadIdx.x == 0 ? first : end, call.a, call.n, call.b, call.m, order);
  __syncthreads();
  const std::int64_t a = edges[0], end_a = edges[1], b = first - a, end_b = end - end_a;
  merge_tile(slots, call.a + a, call.a_values + a, int(end_a - a), call.b + b, call.b_values + b,
             int(end_b - b), call.y + first, call.y_values + first, order);
}

void launch(const Args& args, cudaStream_t stream) {
  check_values(args);
  if (args.y.size() == 0) return;
  dispatch_order(args.a.dtype, args.comparison, [&](auto tag, auto order) {
    using T = typename decltype(tag)::type;
    const unsigned grid = grid_x(args.y.size(), tile);
    if (args.has_values())
      shared<T, true><<<grid, threads, 0, stream>>>(Call<T>::of(args), order);
    else
      shared<T, false><<<grid, threads, 0, stream>>>(Call<T>::of(args), order);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::merge
