#pragma once

// Stable sorts of arrays by comparison.

#include <cub/device/device_radix_sort.cuh>

namespace cub {

namespace detail {

template <class Keys, class Values, class Value, class N, class Less>
cudaError_t device_merge_sort(const char* name, void* storage, std::size_t& bytes, Keys keys,
                              Values values, const Value*, N count, Less less,
                              cudaStream_t stream) {
  using Storage = SortStorage<value_of<Keys>, Value>;
  const auto n = static_cast<std::size_t>(count);
  return device_wide(name, storage, bytes, Storage::needed(n), stream, [=]() mutable {
    merge_sort(keys, values, Storage::keys(storage), Storage::values(storage, n), n, less);
  });
}

// Copies, then sorts the copy.
template <class In, class Out, class N>
void copy_all(In in, Out out, N count) {
  for (N i = 0; i < count; ++i) out[i] = in[i];
}

}  // namespace detail

struct DeviceMergeSort {
#define SIMT_CUB_SORT(PAIRS, KEYS)                                                                 \
  template <class Keys, class Items, class N, class Less>                                          \
  static cudaError_t PAIRS(void* storage, std::size_t& bytes, Keys keys, Items items, N count,     \
                           Less less, cudaStream_t stream = nullptr) {                             \
    const detail::value_of<Items>* const type = nullptr;                                           \
    return detail::device_merge_sort("cub::DeviceMergeSort::" #PAIRS, storage, bytes, keys, items, \
                                     type, count, less, stream);                                   \
  }                                                                                                \
  template <class Keys, class N, class Less>                                                       \
  static cudaError_t KEYS(void* storage, std::size_t& bytes, Keys keys, N count, Less less,        \
                          cudaStream_t stream = nullptr) {                                         \
    NullType* const none = nullptr;                                                                \
    return detail::device_merge_sort("cub::DeviceMergeSort::" #KEYS, storage, bytes, keys, none,   \
                                     static_cast<const NullType*>(none), count, less, stream);     \
  }
  SIMT_CUB_SORT(SortPairs, SortKeys)
  SIMT_CUB_SORT(StableSortPairs, StableSortKeys)
#undef SIMT_CUB_SORT

  template <class In, class Out, class N, class Less>
  static cudaError_t SortKeysCopy(void* storage, std::size_t& bytes, In in, Out out, N count,
                                  Less less, cudaStream_t stream = nullptr) {
    if (storage != nullptr) {
      const cudaError_t error = simt::run_on_device("cub::DeviceMergeSort::SortKeysCopy", stream,
                                                    [=] { detail::copy_all(in, out, count); });
      if (error != cudaSuccess) return error;
    }
    return SortKeys(storage, bytes, out, count, less, stream);
  }
  template <class In, class Out, class N, class Less>
  static cudaError_t StableSortKeysCopy(void* storage, std::size_t& bytes, In in, Out out, N count,
                                        Less less, cudaStream_t stream = nullptr) {
    return SortKeysCopy(storage, bytes, in, out, count, less, stream);
  }
  template <class KeysIn, class ItemsIn, class Keys, class Items, class N, class Less>
  static cudaError_t SortPairsCopy(void* storage, std::size_t& bytes, KeysIn keys_in,
                                   ItemsIn items_in, Keys keys, Items items, N count, Less less,
                                   cudaStream_t stream = nullptr) {
    if (storage != nullptr) {
      const cudaError_t error =
          simt::run_on_device("cub::DeviceMergeSort::SortPairsCopy", stream, [=] {
            detail::copy_all(keys_in, keys, count);
            detail::copy_all(items_in, items, count);
          });
      if (error != cudaSuccess) return error;
    }
    return SortPairs(storage, bytes, keys, items, count, less, stream);
  }
};

}  // namespace cub
