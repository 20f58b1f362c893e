#pragma once

// Sorts the keys of a (logical) warp, with or without values. Stable.

#include <cub/detail/merge_sort_forms.cuh>
#include <cub/detail/sort.cuh>
#include <cub/util_ptx.cuh>

namespace cub {

template <class Key, int Items, int Threads = 32, class Value = NullType, int LegacyArch = 0>
class WarpMergeSort
    : public detail::MergeSortForms<WarpMergeSort<Key, Items, Threads, Value, LegacyArch>, Key,
                                    Items, Value, Threads * Items> {
  static constexpr bool has_values = !std::is_same_v<Value, NullType>;
  static constexpr int count = Threads * Items;

  struct Storage {
    Key keys[count];
    Value values[has_values ? count : 1];
  };

 public:
  struct TempStorage : Uninitialized<Storage> {};

  explicit WarpMergeSort(TempStorage& storage) : storage_(storage.Alias()) {}

  unsigned get_linear_tid() const { return simt::lane_id() % Threads; }
  unsigned get_member_mask() const { return WarpMask<Threads>(simt::lane_id() / Threads); }

 private:
  friend detail::MergeSortForms<WarpMergeSort, Key, Items, Value, count>;

  template <class Less>
  void sort(Key (&keys)[Items], Value* values, Less less, int valid) {
    const int lane = static_cast<int>(get_linear_tid());
    for (int i = 0; i < Items; ++i) {
      storage_.keys[lane * Items + i] = keys[i];
      if constexpr (has_values) storage_.values[lane * Items + i] = values[i];
    }
    WARP_SYNC(get_member_mask());
    if (lane == 0) {
      detail::Scratch<Key> other_keys(count);
      detail::Scratch<Value> other_values(count);
      detail::merge_sort(storage_.keys, storage_.values, other_keys.data(), other_values.data(),
                         static_cast<std::size_t>(valid), less);
    }
    WARP_SYNC(get_member_mask());
    for (int i = 0; i < Items; ++i) {
      keys[i] = storage_.keys[lane * Items + i];
      if constexpr (has_values) values[i] = storage_.values[lane * Items + i];
    }
  }

  Storage& storage_;
};

}  // namespace cub
