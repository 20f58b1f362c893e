// A block sorts a tile in shared memory and registers.
#pragma once
#include "ops/order/merge_sort/passes.cuh"
#include "ops/order/merge_sort/sort_items.cuh"
#include "ops/order/merge_tile.cuh"

namespace warpath::merge_sort {

// Threads that work on one merge wait for each other: up to 32 are a warp, more are the block.
__device__ __forceinline__ void wait_for(int group) {
  if (group <= 32)
    __syncwarp();
  else
    __syncthreads();
}

// Each thread sorts its items, then pairs of threads merge theirs, then fours, and so on: the threads of a group each write
// `Items` outputs of its merge. Elements first to n, at most a tile.
template <class T, int Threads, int Items, bool Pairs, class Order>
__device__ __forceinline__ void sort_tile(TileSlots<T, Threads, Items, Pairs>& slots,
                                          Sequence<T> from, Sequence<T> to, std::int64_t first,
                                          std::int64_t n, Order order) {
  const int t = threadIdx.x;
  const int count = int(n - first < Threads * Items ? n - first : Threads * Items);
  // What is missing is filled with keys that stay last: behind equal ones, since the sort is stable.
#pragma unroll
  for (int j = 0; j < Items; ++j) {
    const int i = j * Threads + t;
    slots.keys[i] = i < count ? from.keys[first + i] : order.template last<T>();
    if constexpr (Pairs) slots.values[i] = i < count ? from.values[first + i] : 0;
  }
  __syncthreads();
  T keys[Items];
  int values[Items];
#pragma unroll
  for (int j = 0; j < Items; ++j) {
    keys[j] = slots.keys[t * Items + j];
    if constexpr (Pairs) values[j] = slots.values[t * Items + j];
  }
  sort_items<Pairs>(keys, values, order);
#pragma unroll 1
  for (int group = 2;; group *= 2) {  // threads of a merge
#pragma unroll
    for (int j = 0; j < Items; ++j) {
      slots.keys[t * Items + j] = keys[j];
      if constexpr (Pairs) slots.values[t * Items + j] = values[j];
    }
    wait_for(group <= Threads ? group : Threads);
    if (group > Threads) break;
    const int begin = t / group * group * Items, run = group / 2 * Items;
    const int output = t * Items - begin;
    const int from_a =
        co_rank(output, slots.keys + begin, run, slots.keys + begin + run, run, order);
    int places[Items];
    merge_items<false>(keys, places, slots.keys, begin + from_a, begin + run,
                       begin + run + output - from_a, begin + 2 * run, order);
    if constexpr (Pairs) {
#pragma unroll
      for (int j = 0; j < Items; ++j) values[j] = slots.values[places[j]];
    }
    wait_for(group);
  }
#pragma unroll
  for (int j = 0; j < Items; ++j) {
    const int i = j * Threads + t;
    if (i >= count) continue;
    to.keys[first + i] = slots.keys[i];
    if constexpr (Pairs) to.values[first + i] = slots.values[i];
  }
}

}  // namespace warpath::merge_sort
