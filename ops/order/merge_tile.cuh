// A block merges two stretches that fit in shared memory.
#pragma once
#include "core/ptx/cp_async.cuh"
#include "ops/order/co_rank.cuh"

namespace warpath {

// Odd, so that the threads of a warp, each with its own `items` neighbours, hit different banks.
template <class T, int Threads, int Items, bool Pairs>
struct TileSlots {
  static constexpr int size = Threads * Items;
  T keys[size + 1];  // the last one may be read, and is not used
  int values[Pairs ? size : 1];
};

// Items of the output from `from` on, of the a.count + b.count keys that lie in `keys`, those of b behind those of a.
// places[j]: where the j-th lies. `Beyond`: there are that many, and keys[end_b] may be read too, so no load waits for a
// comparison with an end.
template <bool Beyond, class T, int Items, class Order>
__device__ __forceinline__ void merge_items(T (&out)[Items], int (&places)[Items], const T* keys,
                                            int a, int end_a, int b, int end_b, Order order) {
  T key_a{}, key_b{};
  if (Beyond || a < end_a) key_a = keys[a];
  if (Beyond || b < end_b) key_b = keys[b];
  auto rank_a = order.rank(key_a), rank_b = order.rank(key_b);
#pragma unroll
  for (int j = 0; j < Items; ++j) {
    const bool take_b = b < end_b && (a >= end_a || rank_b < rank_a);
    out[j] = take_b ? key_b : key_a;
    places[j] = take_b ? b : a;
    const int next = (take_b ? ++b : ++a);
    if (!Beyond && next >= (take_b ? end_b : end_a)) continue;
    const T key = keys[next];
    const auto rank = order.rank(key);
    if (take_b) {
      key_b = key;
      rank_b = rank;
    } else {
      key_a = key;
      rank_a = rank;
    }
  }
}

// y[0 … na + nb), at most a tile, from a[0 … na) and b[0 … nb); with values beside them where Pairs.
template <class T, int Threads, int Items, bool Pairs, class Order>
__device__ __forceinline__ void merge_tile(TileSlots<T, Threads, Items, Pairs>& slots, const T* a,
                                           const int* a_values, int na, const T* b,
                                           const int* b_values, int nb, T* y, int* y_values,
                                           Order order) {
  const int n = na + nb, t = int(threadIdx.x);
  T keys[Items];
#pragma unroll
  for (int j = 0; j < Items; ++j) {
    const int i = j * Threads + t;
    if (i < n) keys[j] = i < na ? a[i] : b[i - na];
  }
  // Values arrive while keys are merged, and take no registers until then.
  if constexpr (Pairs) {
#pragma unroll
    for (int j = 0; j < Items; ++j) {
      const int i = j * Threads + t;
      if (i < n)
        ptx::copy_async<4>(ptx::shared_address(&slots.values[i]),
                           i < na ? a_values + i : b_values + (i - na));
    }
    ptx::copy_async_commit();
  }
#pragma unroll
  for (int j = 0; j < Items; ++j)
    if (j * Threads + t < n) slots.keys[j * Threads + t] = keys[j];
  if (t == 0) slots.keys[slots.size] = T{};
  __syncthreads();
  const int first = t * Items < n ? t * Items : n;
  const int from_a = co_rank(first, slots.keys, na, slots.keys + na, nb, order);
  const int from_b = na + first - from_a;
  int places[Items];
  if (n == slots.size)  // every thread has all its outputs
    merge_items<true>(keys, places, slots.keys, from_a, na, from_b, n, order);
  else
    merge_items<false>(keys, places, slots.keys, from_a, na, from_b, n, order);
  if constexpr (Pairs) ptx::copy_async_wait<0>();
  __syncthreads();
#pragma unroll
  for (int j = 0; j < Items; ++j)
    if (first + j < n) slots.keys[first + j] = keys[j];
  if constexpr (Pairs) {
    int values[Items];
#pragma unroll
    for (int j = 0; j < Items; ++j)
      if (first + j < n) values[j] = slots.values[places[j]];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < Items; ++j)
      if (first + j < n) slots.values[first + j] = values[j];
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < Items; ++j) {
    const int i = j * Threads + t;
    if (i >= n) continue;
    y[i] = slots.keys[i];
    if constexpr (Pairs) y_values[i] = slots.values[i];
  }
}

}  // namespace warpath
