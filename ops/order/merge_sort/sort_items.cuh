// The elements of one thread, sorted in its registers.
#pragma once

namespace warpath::merge_sort {

// Odd-even transposition: neighbours are exchanged where the second comes strictly first, so equal keys never pass each other. All
// indices are known at compile time: the arrays stay in registers.
template <bool Pairs, class T, int Items, class Order>
__device__ __forceinline__ void sort_items(T (&keys)[Items], int (&values)[Items], Order order) {
#pragma unroll
  for (int round = 0; round < Items; ++round)
#pragma unroll
    for (int j = round % 2; j + 1 < Items; j += 2) {
      const T low = keys[j], high = keys[j + 1];
      const bool exchange = order.rank(high) < order.rank(low);
      keys[j] = exchange ? high : low;
      keys[j + 1] = exchange ? low : high;
      if constexpr (Pairs) {
        const int value = values[j];
        values[j] = exchange ? values[j + 1] : value;
        values[j + 1] = exchange ? value : values[j + 1];
      }
    }
}

}  // namespace warpath::merge_sort
