#pragma once

// Stable sorts of each segment [begins[s], ends[s]) by the bits of the keys.

#include <cub/device/device_radix_sort.cuh>

#include <cstdint>

namespace cub {

namespace detail {

template <class Key, class Value, class Begins, class Ends>
cudaError_t segmented_sort(const char* name, void* storage, std::size_t& bytes, const Key* keys_in,
                           Key* keys_out, const Value* values_in, Value* values_out,
                           std::int64_t count, std::int64_t segments, Begins begins, Ends ends,
                           int begin_bit, int end_bit, bool descending, cudaStream_t stream) {
  using Storage = SortStorage<Key, Value>;
  const auto n = static_cast<std::size_t>(count);
  return device_wide(name, storage, bytes, Storage::needed(n), stream, [=] {
    for (std::int64_t s = 0; s < segments; ++s) {
      const auto first = static_cast<std::size_t>(begins[s]);
      const auto end = static_cast<std::size_t>(ends[s]);
      if (end <= first) continue;
      Value* const scratch = Storage::values(storage, n);
      const SortBuffers<Key> keys_to{keys_out + first, Storage::keys(storage) + first};
      SortBuffers<Value> values_to{nullptr, nullptr};
      if (Storage::has_values) values_to = {values_out + first, scratch + first};
      radix_sort(keys_in + first, Storage::has_values ? values_in + first : nullptr, keys_to,
                 values_to, end - first, begin_bit, end_bit, descending);
    }
  });
}

// With double buffers: into the alternate ones.
template <class Key, class Value, class Begins, class Ends>
cudaError_t segmented_sort(const char* name, void* storage, std::size_t& bytes,
                           DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values, std::int64_t count,
                           std::int64_t segments, Begins begins, Ends ends, int begin_bit,
                           int end_bit, bool descending, cudaStream_t stream) {
  const bool runs = storage != nullptr;
  const cudaError_t error = segmented_sort(
      name, storage, bytes, static_cast<const Key*>(keys.Current()), keys.Alternate(),
      static_cast<const Value*>(values.Current()), values.Alternate(), count, segments, begins,
      ends, begin_bit, end_bit, descending, stream);
  if (runs && error == cudaSuccess) {
    keys.selector ^= 1;
    values.selector ^= 1;
  }
  return error;
}

}  // namespace detail

// The two families differ in whether a range of bits can be given.
#define SIMT_CUB_FAMILY(FAMILY, PAIRS, KEYS, DESCENDING, BITS, BEGIN, END)                         \
  template <class Key, class Value, class Begins, class Ends>                                      \
  static cudaError_t PAIRS(void* storage, std::size_t& bytes, const Key* keys_in, Key* keys_out,   \
                           const Value* values_in, Value* values_out, std::int64_t count,          \
                           std::int64_t segments, Begins begins, Ends ends BITS,                   \
                           cudaStream_t stream = nullptr) {                                        \
    return detail::segmented_sort("cub::" #FAMILY "::" #PAIRS, storage, bytes, keys_in, keys_out,  \
                                  values_in, values_out, count, segments, begins, ends, BEGIN,     \
                                  END, DESCENDING, stream);                                        \
  }                                                                                                \
  template <class Key, class Value, class Begins, class Ends>                                      \
  static cudaError_t PAIRS(void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys,             \
                           DoubleBuffer<Value>& values, std::int64_t count, std::int64_t segments, \
                           Begins begins, Ends ends BITS, cudaStream_t stream = nullptr) {         \
    return detail::segmented_sort("cub::" #FAMILY "::" #PAIRS, storage, bytes, keys, values,       \
                                  count, segments, begins, ends, BEGIN, END, DESCENDING, stream);  \
  }                                                                                                \
  template <class Key, class Begins, class Ends>                                                   \
  static cudaError_t KEYS(void* storage, std::size_t& bytes, const Key* keys_in, Key* keys_out,    \
                          std::int64_t count, std::int64_t segments, Begins begins,                \
                          Ends ends BITS, cudaStream_t stream = nullptr) {                         \
    const NullType* const none = nullptr;                                                          \
    return detail::segmented_sort("cub::" #FAMILY "::" #KEYS, storage, bytes, keys_in, keys_out,   \
                                  none, static_cast<NullType*>(nullptr), count, segments, begins,  \
                                  ends, BEGIN, END, DESCENDING, stream);                           \
  }                                                                                                \
  template <class Key, class Begins, class Ends>                                                   \
  static cudaError_t KEYS(void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys,              \
                          std::int64_t count, std::int64_t segments, Begins begins,                \
                          Ends ends BITS, cudaStream_t stream = nullptr) {                         \
    DoubleBuffer<NullType> none;                                                                   \
    return detail::segmented_sort("cub::" #FAMILY "::" #KEYS, storage, bytes, keys, none, count,   \
                                  segments, begins, ends, BEGIN, END, DESCENDING, stream);         \
  }
#define SIMT_CUB_BITS , int begin_bit = 0, int end_bit = sizeof(Key) * 8
#define SIMT_CUB_NO_BITS
#define SIMT_CUB_ALL_BITS static_cast<int>(sizeof(Key) * 8)

struct DeviceSegmentedRadixSort {
  SIMT_CUB_FAMILY(DeviceSegmentedRadixSort, SortPairs, SortKeys, false, SIMT_CUB_BITS, begin_bit,
                  end_bit)
  SIMT_CUB_FAMILY(DeviceSegmentedRadixSort, SortPairsDescending, SortKeysDescending, true,
                  SIMT_CUB_BITS, begin_bit, end_bit)
};

struct DeviceSegmentedSort {
  SIMT_CUB_FAMILY(DeviceSegmentedSort, SortPairs, SortKeys, false, SIMT_CUB_NO_BITS, 0,
                  SIMT_CUB_ALL_BITS)
  SIMT_CUB_FAMILY(DeviceSegmentedSort, SortPairsDescending, SortKeysDescending, true,
                  SIMT_CUB_NO_BITS, 0, SIMT_CUB_ALL_BITS)
  SIMT_CUB_FAMILY(DeviceSegmentedSort, StableSortPairs, StableSortKeys, false, SIMT_CUB_NO_BITS, 0,
                  SIMT_CUB_ALL_BITS)
  SIMT_CUB_FAMILY(DeviceSegmentedSort, StableSortPairsDescending, StableSortKeysDescending, true,
                  SIMT_CUB_NO_BITS, 0, SIMT_CUB_ALL_BITS)
};

#undef SIMT_CUB_FAMILY
#undef SIMT_CUB_BITS
#undef SIMT_CUB_NO_BITS
#undef SIMT_CUB_ALL_BITS

}  // namespace cub
