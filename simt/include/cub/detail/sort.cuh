#pragma once

// Sorting by one thread: radix sort by digits of eight bits, and merge sort. Both are stable.

#include <simt/radix_key.h>
#include <cub/util_type.cuh>

#include <cstddef>
#include <utility>

namespace cub::detail {

using simt::radix_key;

inline int radix_passes(int begin_bit, int end_bit) {
  return end_bit > begin_bit ? (end_bit - begin_bit + 7) / 8 : 0;
}

// The bits of a key from `bit` on, of which a radix sort takes eight or fewer: of a number...
struct NumberBits {
  template <class Key>
  unsigned operator()(const Key& key, int bit) const {
    return static_cast<unsigned>(radix_key(key) >> bit);
  }
  template <class Key>
  static constexpr int count = static_cast<int>(sizeof(Key) * 8);
};
// ... and of a structure that a program's function takes apart: it gives a tuple of references to
// numbers, the most significant first.
template <class Decomposer>
class FieldBits {
  template <class Field>
  static constexpr int bits = static_cast<int>(sizeof(std::remove_reference_t<Field>) * 8);
  template <class Fields>
  struct Sum;
  template <template <class...> class Tuple, class... Field>
  struct Sum<Tuple<Field...>> {
    static constexpr int value = (bits<Field> + ... + 0);
  };

 public:
  explicit FieldBits(Decomposer decompose) : decompose_(decompose) {}

  template <class Key>
  unsigned operator()(const Key& key, int bit) const {
    Key copy = key;
    return of_fields(decompose_(copy), bit);
  }
  template <class Key>
  static constexpr int count = Sum<std::invoke_result_t<const Decomposer&, Key&>>::value;

 private:
  template <template <class...> class Tuple, class... Field>
  static unsigned of_fields(Tuple<Field...> fields, int bit) {
    return of_fields(fields, bit, std::index_sequence_for<Field...>());
  }
  template <template <class...> class Tuple, class... Field, std::size_t... I>
  static unsigned of_fields(Tuple<Field...>& fields, int bit, std::index_sequence<I...>) {
    using std::get;
    int begin = (bits<Field> + ... + 0);
    unsigned result = 0;
    ((begin -= bits<Field>, result |= shifted(radix_key(get<I>(fields)), bit - begin)), ...);
    return result;
  }
  // A field's bits, moved `by` to the right, or to the left if that is negative.
  template <class Bits>
  static unsigned shifted(Bits field, int by) {
    if (by >= static_cast<int>(sizeof(Bits) * 8) || by <= -8) return 0;
    return by < 0 ? static_cast<unsigned>(field) << -by : static_cast<unsigned>(field >> by);
  }

  Decomposer decompose_;
};

template <class T>
using if_decomposer = std::enable_if_t<std::is_class_v<T>, int>;

// One digit of a radix sort, from one pair of arrays to another. Values may be NullType*.
template <class Key, class Value, class BitsOfKey>
void radix_pass(const Key* keys, const Value* values, Key* sorted, Value* sorted_values,
                std::size_t count, int bit, int bits, bool descending, BitsOfKey bits_of) {
  std::size_t starts[257] = {};
  const unsigned mask = (1u << bits) - 1;
  const auto digit = [=](const Key& key) {
    const unsigned d = bits_of(key, bit) & mask;
    return descending ? mask - d : d;
  };
  for (std::size_t i = 0; i < count; ++i) ++starts[digit(keys[i]) + 1];
  for (unsigned d = 0; d < mask; ++d) starts[d + 1] += starts[d];
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t to = starts[digit(keys[i])]++;
    sorted[to] = keys[i];
    if constexpr (!std::is_same_v<Value, NullType>) sorted_values[to] = values[i];
  }
}

template <class T>
struct SortBuffers {
  T* out;
  T* other;
};

// Sorts from `keys` into keys_to.out; the passes alternate between the two of keys_to so that the
// last one ends there.
template <class Key, class Value, class BitsOfKey = NumberBits>
void radix_sort(const Key* keys, const Value* values, SortBuffers<Key> keys_to,
                SortBuffers<Value> values_to, std::size_t count, int begin_bit, int end_bit,
                bool descending, BitsOfKey bits_of = {}) {
  const int passes = radix_passes(begin_bit, end_bit);
  for (int pass = 0; pass < passes; ++pass) {
    const bool to_out = (passes - 1 - pass) % 2 == 0;
    Key* const to = to_out ? keys_to.out : keys_to.other;
    Value* const values_at = to_out ? values_to.out : values_to.other;
    const int bit = begin_bit + pass * 8;
    radix_pass(keys, values, to, values_at, count, bit, end_bit - bit < 8 ? end_bit - bit : 8,
               descending, bits_of);
    keys = to;
    values = values_at;
  }
  if (passes > 0 || keys == keys_to.out) return;
  for (std::size_t i = 0; i < count; ++i) {
    keys_to.out[i] = keys[i];
    if constexpr (!std::is_same_v<Value, NullType>) values_to.out[i] = values[i];
  }
}

struct SmallerKey {
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return a < b;
  }
};

// Hands a comparison keys, not what stands for them.
template <class Key, class Less>
bool less_of(Less& less, const Key& a, const Key& b) {
  return less(a, b);
}

// Sorts [0, count) of keys and values in place; the others are room for as many.
template <class KeyIterator, class ValueIterator, class Key, class Value, class Less>
void merge_sort(KeyIterator keys, ValueIterator values, Key* other_keys, Value* other_values,
                std::size_t count, Less& less) {
  constexpr bool has_values = !std::is_same_v<Value, NullType>;
  for (std::size_t width = 1; width < count; width *= 2) {
    for (std::size_t first = 0; first < count; first += 2 * width) {
      const std::size_t middle = first + width < count ? first + width : count;
      const std::size_t end = first + 2 * width < count ? first + 2 * width : count;
      std::size_t a = first, b = middle;
      for (std::size_t to = first; to < end; ++to) {
        const bool left = b == end || (a < middle && !less_of<Key>(less, keys[b], keys[a]));
        const std::size_t from = left ? a++ : b++;
        other_keys[to] = keys[from];
        if constexpr (has_values) other_values[to] = values[from];
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      keys[i] = other_keys[i];
      if constexpr (has_values) values[i] = other_values[i];
    }
  }
}

// Device memory for the duration of a call inside a kernel.
template <class T>
class Scratch {
 public:
  explicit Scratch(std::size_t count) { cudaMalloc(&data_, count * sizeof(T)); }
  Scratch(const Scratch&) = delete;
  ~Scratch() { cudaFree(data_); }
  T* data() { return static_cast<T*>(data_); }

 private:
  void* data_ = nullptr;
};
template <>
class Scratch<NullType> {
 public:
  explicit Scratch(std::size_t) {}
  NullType* data() { return nullptr; }
};

}  // namespace cub::detail
