// How many of the first k outputs of a merge come from a: the co-rank of k. The others come from b. Where keys are equal, those
// of a come first.
#pragma once
#include <cstdint>

#include "core/warp/reduce.cuh"

namespace warpath {

// By binary search, 0 <= k <= na + nb. Of the outputs before k, a[i] is one if no b that would follow it is among them.
template <class T, class Order, class Size>
__device__ __forceinline__ Size co_rank(Size k, const T* a, Size na, const T* b, Size nb,
                                        Order order) {
  Size low = k > nb ? k - nb : 0, high = k < na ? k : na;
  while (low < high) {
    const Size middle = low + (high - low) / 2;
    if (order.rank(b[k - 1 - middle]) < order.rank(a[middle]))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// The same by a warp: 32 places at once, so that 2^25 elements take five steps instead of 25, each of which waits for memory.
template <class T, class Order>
__device__ __forceinline__ std::int64_t warp_co_rank(std::int64_t k, const T* a, std::int64_t na,
                                                     const T* b, std::int64_t nb, Order order) {
  const int lane = threadIdx.x % 32;
  std::int64_t low = k > nb ? k - nb : 0, high = k < na ? k : na;
  while (low < high) {
    const std::int64_t step = (high - low + 31) / 32, place = low + lane * step;
    const bool from_a = place < high && !(order.rank(b[k - 1 - place]) < order.rank(a[place]));
    // From the first lane on the answers are yes, and then no.
    const int yes = __popc(__ballot_sync(full_mask, from_a));
    const std::int64_t start = low;
    if (yes > 0) low = start + (yes - 1) * step + 1;
    if (yes < 32 && start + yes * step < high) high = start + yes * step;
  }
  return low;
}

}  // namespace warpath
