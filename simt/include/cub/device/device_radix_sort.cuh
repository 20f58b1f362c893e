#pragma once

// Stable sorts of arrays by the bits of their keys. Two arrays of temporary storage are asked for
// where the program gives no double buffers.

#include <cub/detail/sort.cuh>
#include <cub/util_device.cuh>

namespace cub {

namespace detail {

inline std::size_t aligned_bytes(std::size_t bytes) {
  return (bytes + 255) / 256 * 256;
}

template <class Key, class Value>
struct SortStorage {
  static constexpr bool has_values = !std::is_same_v<Value, NullType>;

  static std::size_t needed(std::size_t count) {
    return aligned_bytes(count * sizeof(Key)) + (has_values ? count * sizeof(Value) : 0);
  }
  static Key* keys(void* storage) { return static_cast<Key*>(storage); }
  static Value* values(void* storage, std::size_t count) {
    if (!has_values) return nullptr;
    return reinterpret_cast<Value*>(static_cast<char*>(storage) +
                                    aligned_bytes(count * sizeof(Key)));
  }
};

template <class Key, class Value, class N, class BitsOfKey = NumberBits>
cudaError_t radix_sort_copy(const char* name, void* storage, std::size_t& bytes, const Key* keys_in,
                            Key* keys_out, const Value* values_in, Value* values_out, N count,
                            int begin_bit, int end_bit, bool descending, cudaStream_t stream,
                            BitsOfKey bits_of = {}) {
  using Storage = SortStorage<Key, Value>;
  const auto n = static_cast<std::size_t>(count);
  return device_wide(name, storage, bytes, Storage::needed(n), stream, [=] {
    radix_sort(keys_in, values_in, SortBuffers<Key>{keys_out, Storage::keys(storage)},
               SortBuffers<Value>{values_out, Storage::values(storage, n)}, n, begin_bit, end_bit,
               descending, bits_of);
  });
}

template <class Key, class Value, class N, class BitsOfKey = NumberBits>
cudaError_t radix_sort_swap(const char* name, void* storage, std::size_t& bytes,
                            DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values, N count,
                            int begin_bit, int end_bit, bool descending, cudaStream_t stream,
                            BitsOfKey bits_of = {}) {
  const auto n = static_cast<std::size_t>(count);
  // The passes go to and fro; where the last one ends is known before.
  const bool odd = radix_passes(begin_bit, end_bit) % 2 != 0;
  const Key* const from = keys.Current();
  const Value* const values_from = values.Current();
  const SortBuffers<Key> keys_to{odd ? keys.Alternate() : keys.Current(),
                                 odd ? keys.Current() : keys.Alternate()};
  const SortBuffers<Value> values_to{odd ? values.Alternate() : values.Current(),
                                     odd ? values.Current() : values.Alternate()};
  const bool runs = storage != nullptr;
  const cudaError_t error = device_wide(name, storage, bytes, 1, stream, [=] {
    radix_sort(from, values_from, keys_to, values_to, n, begin_bit, end_bit, descending, bits_of);
  });
  if (runs && error == cudaSuccess && odd) {
    keys.selector ^= 1;
    values.selector ^= 1;
  }
  return error;
}

}  // namespace detail

struct DeviceRadixSort {
#define SIMT_CUB_SORT(PAIRS, KEYS, DESCENDING)                                                    \
  template <class Key, class Value, class N>                                                      \
  static cudaError_t PAIRS(void* storage, std::size_t& bytes, const Key* keys_in, Key* keys_out,  \
                           const Value* values_in, Value* values_out, N count, int begin_bit = 0, \
                           int end_bit = sizeof(Key) * 8, cudaStream_t stream = nullptr) {        \
    return detail::radix_sort_copy("cub::DeviceRadixSort::" #PAIRS, storage, bytes, keys_in,      \
                                   keys_out, values_in, values_out, count, begin_bit, end_bit,    \
                                   DESCENDING, stream);                                           \
  }                                                                                               \
  template <class Key, class Value, class N>                                                      \
  static cudaError_t PAIRS(void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys,            \
                           DoubleBuffer<Value>& values, N count, int begin_bit = 0,               \
                           int end_bit = sizeof(Key) * 8, cudaStream_t stream = nullptr) {        \
    return detail::radix_sort_swap("cub::DeviceRadixSort::" #PAIRS, storage, bytes, keys, values, \
                                   count, begin_bit, end_bit, DESCENDING, stream);                \
  }                                                                                               \
  template <class Key, class N>                                                                   \
  static cudaError_t KEYS(void* storage, std::size_t& bytes, const Key* keys_in, Key* keys_out,   \
                          N count, int begin_bit = 0, int end_bit = sizeof(Key) * 8,              \
                          cudaStream_t stream = nullptr) {                                        \
    const NullType* const none = nullptr;                                                         \
    return detail::radix_sort_copy("cub::DeviceRadixSort::" #KEYS, storage, bytes, keys_in,       \
                                   keys_out, none, static_cast<NullType*>(nullptr), count,        \
                                   begin_bit, end_bit, DESCENDING, stream);                       \
  }                                                                                               \
  template <class Key, class N>                                                                   \
  static cudaError_t KEYS(void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys, N count,    \
                          int begin_bit = 0, int end_bit = sizeof(Key) * 8,                       \
                          cudaStream_t stream = nullptr) {                                        \
    DoubleBuffer<NullType> none;                                                                  \
    return detail::radix_sort_swap("cub::DeviceRadixSort::" #KEYS, storage, bytes, keys, none,    \
                                   count, begin_bit, end_bit, DESCENDING, stream);                \
  }
  SIMT_CUB_SORT(SortPairs, SortKeys, false)
  SIMT_CUB_SORT(SortPairsDescending, SortKeysDescending, true)
#undef SIMT_CUB_SORT

// The same by a function that takes a key apart into numbers; of all its bits, or of some.
#define SIMT_CUB_SORT(PAIRS, KEYS, DESCENDING)                                                     \
  template <class Key, class Value, class N, class Decomposer,                                     \
            detail::if_decomposer<Decomposer> = 0>                                                 \
  static cudaError_t PAIRS(void* storage, std::size_t& bytes, const Key* keys_in, Key* keys_out,   \
                           const Value* values_in, Value* values_out, N count,                     \
                           Decomposer decomposer, int begin_bit, int end_bit,                      \
                           cudaStream_t stream = nullptr) {                                        \
    return detail::radix_sort_copy("cub::DeviceRadixSort::" #PAIRS, storage, bytes, keys_in,       \
                                   keys_out, values_in, values_out, count, begin_bit, end_bit,     \
                                   DESCENDING, stream, detail::FieldBits<Decomposer>(decomposer)); \
  }                                                                                                \
  template <class Key, class Value, class N, class Decomposer,                                     \
            detail::if_decomposer<Decomposer> = 0>                                                 \
  static cudaError_t PAIRS(void* storage, std::size_t& bytes, const Key* keys_in, Key* keys_out,   \
                           const Value* values_in, Value* values_out, N count,                     \
                           Decomposer decomposer, cudaStream_t stream = nullptr) {                 \
    return PAIRS(storage, bytes, keys_in, keys_out, values_in, values_out, count, decomposer, 0,   \
                 detail::FieldBits<Decomposer>::template count<Key>, stream);                      \
  }                                                                                                \
  template <class Key, class Value, class N, class Decomposer,                                     \
            detail::if_decomposer<Decomposer> = 0>                                                 \
  static cudaError_t PAIRS(void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys,             \
                           DoubleBuffer<Value>& values, N count, Decomposer decomposer,            \
                           int begin_bit, int end_bit, cudaStream_t stream = nullptr) {            \
    return detail::radix_sort_swap("cub::DeviceRadixSort::" #PAIRS, storage, bytes, keys, values,  \
                                   count, begin_bit, end_bit, DESCENDING, stream,                  \
                                   detail::FieldBits<Decomposer>(decomposer));                     \
  }                                                                                                \
  template <class Key, class Value, class N, class Decomposer,                                     \
            detail::if_decomposer<Decomposer> = 0>                                                 \
  static cudaError_t PAIRS(void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys,             \
                           DoubleBuffer<Value>& values, N count, Decomposer decomposer,            \
                           cudaStream_t stream = nullptr) {                                        \
    return PAIRS(storage, bytes, keys, values, count, decomposer, 0,                               \
                 detail::FieldBits<Decomposer>::template count<Key>, stream);                      \
  }                                                                                                \
  template <class Key, class N, class Decomposer, detail::if_decomposer<Decomposer> = 0>           \
  static cudaError_t KEYS(void* storage, std::size_t& bytes, const Key* keys_in, Key* keys_out,    \
                          N count, Decomposer decomposer, int begin_bit, int end_bit,              \
                          cudaStream_t stream = nullptr) {                                         \
    const NullType* const none = nullptr;                                                          \
    return PAIRS(storage, bytes, keys_in, keys_out, none, static_cast<NullType*>(nullptr), count,  \
                 decomposer, begin_bit, end_bit, stream);                                          \
  }                                                                                                \
  template <class Key, class N, class Decomposer, detail::if_decomposer<Decomposer> = 0>           \
  static cudaError_t KEYS(void* storage, std::size_t& bytes, const Key* keys_in, Key* keys_out,    \
                          N count, Decomposer decomposer, cudaStream_t stream = nullptr) {         \
    return KEYS(storage, bytes, keys_in, keys_out, count, decomposer, 0,                           \
                detail::FieldBits<Decomposer>::template count<Key>, stream);                       \
  }                                                                                                \
  template <class Key, class N, class Decomposer, detail::if_decomposer<Decomposer> = 0>           \
  static cudaError_t KEYS(void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys, N count,     \
                          Decomposer decomposer, int begin_bit, int end_bit,                       \
                          cudaStream_t stream = nullptr) {                                         \
    DoubleBuffer<NullType> none;                                                                   \
    return PAIRS(storage, bytes, keys, none, count, decomposer, begin_bit, end_bit, stream);       \
  }                                                                                                \
  template <class Key, class N, class Decomposer, detail::if_decomposer<Decomposer> = 0>           \
  static cudaError_t KEYS(void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys, N count,     \
                          Decomposer decomposer, cudaStream_t stream = nullptr) {                  \
    return KEYS(storage, bytes, keys, count, decomposer, 0,                                        \
                detail::FieldBits<Decomposer>::template count<Key>, stream);                       \
  }
  SIMT_CUB_SORT(SortPairs, SortKeys, false)
  SIMT_CUB_SORT(SortPairsDescending, SortKeysDescending, true)
#undef SIMT_CUB_SORT
};

}  // namespace cub
