#pragma once

// What the block-wide sorts share: all items in shared memory, sorted by thread 0.

#include <cub/detail/sort.cuh>
#include <cub/util_ptx.cuh>

namespace cub::detail {

template <class Key, class Value, int Threads, int Items>
struct BlockSortStorage {
  static constexpr int count = Threads * Items;
  static constexpr bool has_values = !std::is_same_v<Value, NullType>;

  Key keys[count];
  Value values[has_values ? count : 1];

  // Sort(keys, values, other keys, other values) runs in thread 0 and leaves the result in the
  // first two.
  template <class Sort>
  void sort(Key (&mine)[Items], Value* my_values, bool striped, Sort sort) {
    const int rank = static_cast<int>(simt::thread_rank());
    for (int i = 0; i < Items; ++i) {
      keys[rank * Items + i] = mine[i];
      if constexpr (has_values) values[rank * Items + i] = my_values[i];
    }
    CTA_SYNC();
    if (rank == 0) {
      Scratch<Key> other_keys(count);
      Scratch<Value> other_values(count);
      sort(keys, values, other_keys.data(), other_values.data());
    }
    CTA_SYNC();
    for (int i = 0; i < Items; ++i) {
      const int from = striped ? rank + i * Threads : rank * Items + i;
      mine[i] = keys[from];
      if constexpr (has_values) my_values[i] = values[from];
    }
  }
};

}  // namespace cub::detail
