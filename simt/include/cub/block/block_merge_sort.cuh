#pragma once

// Sorts a block's keys, with or without values, by comparison. Stable.

#include <cub/block/block_sort_storage.cuh>
#include <cub/detail/merge_sort_forms.cuh>

namespace cub {

template <class Key, int DimX, int Items, class Value = NullType, int DimY = 1, int DimZ = 1>
class BlockMergeSort
    : public detail::MergeSortForms<BlockMergeSort<Key, DimX, Items, Value, DimY, DimZ>, Key, Items,
                                    Value, DimX * DimY * DimZ * Items> {
  using Storage = detail::BlockSortStorage<Key, Value, DimX * DimY * DimZ, Items>;

 public:
  struct TempStorage : Uninitialized<Storage> {};

  BlockMergeSort() : BlockMergeSort(own_storage()) {}
  explicit BlockMergeSort(TempStorage& storage) : storage_(storage.Alias()) {}

  unsigned get_linear_tid() const { return static_cast<unsigned>(simt::thread_rank()); }

 private:
  friend detail::MergeSortForms<BlockMergeSort, Key, Items, Value, Storage::count>;

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
