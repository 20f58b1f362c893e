#pragma once

// The order of a radix sort, for CUB and Thrust.

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace simt {

template <class T>
inline constexpr bool is_plain_float = std::is_floating_point_v<T> ||
                                       (std::is_class_v<T> &&
                                        sizeof(T) <= 2);  // half, bfloat16, fp8

// Strict modes of the compiler do not count __int128 among the integers.
template <class T>
inline constexpr bool is_signed_key = std::is_signed_v<T> || std::is_same_v<T, __int128>;

template <int Size>
struct KeyBits;
template <>
struct KeyBits<1> {
  using type = std::uint8_t;
};
template <>
struct KeyBits<2> {
  using type = std::uint16_t;
};
template <>
struct KeyBits<4> {
  using type = std::uint32_t;
};
template <>
struct KeyBits<8> {
  using type = std::uint64_t;
};
template <>
struct KeyBits<16> {
  using type = unsigned __int128;
};

// A number whose order as an unsigned one is the key's. The two zeros are the same key.
template <class Key>
auto radix_key(const Key& key) {
  using Bits = typename KeyBits<sizeof(Key)>::type;
  Bits bits;
  std::memcpy(&bits, &key, sizeof bits);
  constexpr Bits top = static_cast<Bits>(Bits{1} << (sizeof(Key) * 8 - 1));
  if constexpr (is_plain_float<Key>) {
    if (bits == top) bits = 0;
    return static_cast<Bits>((bits & top) != 0 ? ~bits : bits | top);
  } else if constexpr (is_signed_key<Key>) {
    return static_cast<Bits>(bits ^ top);
  } else {
    return bits;
  }
}

}  // namespace simt
