#pragma once

// Sorts a block's keys, with or without values, by the bits of the keys. Stable.

#include <cub/block/block_scan.cuh>
#include <cub/block/block_sort_storage.cuh>

namespace cub {

template <class Key, int DimX, int Items, class Value = NullType, int RadixBits = 4,
          bool Memoize = true, BlockScanAlgorithm InnerScan = BLOCK_SCAN_WARP_SCANS,
          cudaSharedMemConfig Config = cudaSharedMemBankSizeFourByte, int DimY = 1, int DimZ = 1,
          int LegacyArch = 0>
class BlockRadixSort {
  using Storage = detail::BlockSortStorage<Key, Value, DimX * DimY * DimZ, Items>;
  static constexpr int key_bits = sizeof(Key) * 8;

 public:
  struct TempStorage : Uninitialized<Storage> {};

  BlockRadixSort() : BlockRadixSort(own_storage()) {}
  explicit BlockRadixSort(TempStorage& storage) : storage_(storage.Alias()) {}

#define SIMT_CUB_SORT(NAME, DESCENDING, STRIPED)                                                   \
  void NAME(Key(&keys)[Items], int begin_bit = 0, int end_bit = key_bits) {                        \
    sort(keys, nullptr, begin_bit, end_bit, DESCENDING, STRIPED);                                  \
  }                                                                                                \
  void NAME(Key(&keys)[Items], Value(&values)[Items], int begin_bit = 0, int end_bit = key_bits) { \
    sort(keys, values, begin_bit, end_bit, DESCENDING, STRIPED);                                   \
  }                                                                                                \
  template <class Decomposer, detail::if_decomposer<Decomposer> = 0>                               \
  void NAME(Key(&keys)[Items], Decomposer decomposer, int begin_bit = 0,                           \
            int end_bit = detail::FieldBits<Decomposer>::template count<Key>) {                    \
    sort(keys, nullptr, begin_bit, end_bit, DESCENDING, STRIPED,                                   \
         detail::FieldBits<Decomposer>(decomposer));                                               \
  }                                                                                                \
  template <class Decomposer, detail::if_decomposer<Decomposer> = 0>                               \
  void NAME(Key(&keys)[Items], Value(&values)[Items], Decomposer decomposer, int begin_bit = 0,    \
            int end_bit = detail::FieldBits<Decomposer>::template count<Key>) {                    \
    sort(keys, values, begin_bit, end_bit, DESCENDING, STRIPED,                                    \
         detail::FieldBits<Decomposer>(decomposer));                                               \
  }
  SIMT_CUB_SORT(Sort, false, false)
  SIMT_CUB_SORT(SortDescending, true, false)
  SIMT_CUB_SORT(SortBlockedToStriped, false, true)
  SIMT_CUB_SORT(SortDescendingBlockedToStriped, true, true)
#undef SIMT_CUB_SORT

 private:
  template <class BitsOfKey = detail::NumberBits>
  void sort(Key (&keys)[Items], Value* values, int begin_bit, int end_bit, bool descending,
            bool striped, BitsOfKey bits_of = {}) {
    storage_.sort(keys, values, striped, [=](Key* k, Value* v, Key* other_k, Value* other_v) {
      // An odd number of passes ends in the other arrays.
      const bool odd = detail::radix_passes(begin_bit, end_bit) % 2 != 0;
      detail::SortBuffers<Key> keys_to{odd ? other_k : k, odd ? k : other_k};
      detail::SortBuffers<Value> values_to{odd ? other_v : v, odd ? v : other_v};
      detail::radix_sort(k, v, keys_to, values_to, Storage::count, begin_bit, end_bit, descending,
                         bits_of);
      for (int i = 0; odd && i < Storage::count; ++i) {
        k[i] = other_k[i];
        if constexpr (Storage::has_values) v[i] = other_v[i];
      }
    });
  }

  static TempStorage& own_storage() {
    __shared__ TempStorage storage;
    return storage;
  }

  Storage& storage_;
};

}  // namespace cub
