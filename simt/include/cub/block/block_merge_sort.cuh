#pragma once

// Sorts a block's keys, with or without values, by comparison. Stable.

#include <cub/block/block_sort_storage.cuh>

namespace cub {

template <class Key, int DimX, int Items, class Value = NullType, int DimY = 1, int DimZ = 1>
class BlockMergeSort {
  using Storage = detail::BlockSortStorage<Key, Value, DimX * DimY * DimZ, Items>;

 public:
  struct TempStorage : Uninitialized<Storage> {};

  BlockMergeSort() : BlockMergeSort(own_storage()) {}
  explicit BlockMergeSort(TempStorage& storage) : storage_(storage.Alias()) {}

  unsigned get_linear_tid() const { return static_cast<unsigned>(simt::thread_rank()); }

#define SIMT_CUB_SORT(NAME)                                                                     \
  template <class Less>                                                                         \
  void NAME(Key(&keys)[Items], Less less) {                                                     \
    sort(keys, nullptr, less, Storage::count);                                                  \
  }                                                                                             \
  template <class Less>                                                                         \
  void NAME(Key(&keys)[Items], Value(&values)[Items], Less less) {                              \
    sort(keys, values, less, Storage::count);                                                   \
  }                                                                                             \
  template <class Less>                                                                         \
  void NAME(Key(&keys)[Items], Less less, int valid, Key past_the_end) {                        \
    fill(keys, valid, past_the_end);                                                            \
    sort(keys, nullptr, less, valid);                                                           \
  }                                                                                             \
  template <class Less>                                                                         \
  void NAME(Key(&keys)[Items], Value(&values)[Items], Less less, int valid, Key past_the_end) { \
    fill(keys, valid, past_the_end);                                                            \
    sort(keys, values, less, valid);                                                            \
  }
  SIMT_CUB_SORT(Sort)
  SIMT_CUB_SORT(StableSort)
#undef SIMT_CUB_SORT

 private:
  static void fill(Key (&keys)[Items], int valid, const Key& with) {
    for (int i = 0; i < Items; ++i) {
      if (static_cast<int>(simt::thread_rank()) * Items + i >= valid) keys[i] = with;
    }
  }
  template <class Less>
  void sort(Key (&keys)[Items], Value* values, Less less, int valid) {
    storage_.sort(keys, values, false, [&](Key* k, Value* v, Key* other_k, Value* other_v) {
      detail::merge_sort(k, v, other_k, other_v, static_cast<std::size_t>(valid), less);
    });
  }

  static TempStorage& own_storage() {
    __shared__ TempStorage storage;
    return storage;
  }

  Storage& storage_;
};

}  // namespace cub
