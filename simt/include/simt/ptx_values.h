#pragma once

// How values go in and out of inline PTX. Registers have no type in PTX: an instruction reads the
// bits as its own.

#include <simt/aligned.h>
#include <simt/matrix_multiply.h>
#include <simt/shared.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

// Of libsimt_check.so: reports the access and ends the kernel.
extern "C" void simt_check_misaligned(const void* at, std::size_t bytes, bool write);

namespace simt::ptx {

template <class T, int N>
struct Array {
  T value[N];
  const T& operator[](int i) const { return value[i]; }
};

// The bits of `from` as a T: the lower ones if T is smaller, zeros above if it is bigger; numbers
// of the same kind keep their value.
template <class T, class From>
T as(const From& from) {
  if constexpr (std::is_integral_v<T> && std::is_integral_v<From>) {
    return static_cast<T>(from);
  } else if constexpr (std::is_same_v<T, From>) {
    return from;
  } else if constexpr (std::is_floating_point_v<T> && std::is_floating_point_v<From>) {
    return static_cast<T>(from);
  } else {
    T to{};
    std::memcpy(static_cast<void*>(&to), static_cast<const void*>(&from),
                sizeof(T) < sizeof(From) ? sizeof(T) : sizeof(From));
    return to;
  }
}
template <class To, class From>
void put(To& to, const From& from) {
  if constexpr (std::is_pointer_v<To>) {
    to = reinterpret_cast<To>(from);
  } else {
    to = as<To>(from);
  }
}

// Takes a result that nobody wants.
inline unsigned long long& nowhere() {
  static thread_local unsigned long long place;
  return place;
}

inline float float_of(unsigned bits) {
  return as<float>(bits);
}

template <class To, class T, int N>
To pack(const Array<T, N>& parts) {
  To to;
  static_assert(sizeof to == sizeof parts.value);
  std::memcpy(&to, parts.value, sizeof to);
  return to;
}
template <int N, class From, class Value>
auto unpack(const Value& value) {
  constexpr std::size_t size = sizeof(From) / N;
  using Part = std::conditional_t<
      size == 1, unsigned char,
      std::conditional_t<size == 2, unsigned short,
                         std::conditional_t<size == 4, unsigned, unsigned long long>>>;
  static_assert(sizeof(Part) == size);
  const From from = as<From>(value);
  Array<Part, N> parts;
  std::memcpy(parts.value, &from, sizeof parts.value);
  return parts;
}

// Words of an opcode that change how an instruction computes.
enum Flag : unsigned {
  flag_rn = 0,  // to nearest, ties to even
  flag_rz = 1,  // towards zero
  flag_rm = 2,  // down
  flag_rp = 3,  // up
  rounding = 3,
  flag_ftz = 4,   // subnormal operands and results are zero
  flag_sat = 8,   // the result is held inside its range; of floats: [0, 1]
  flag_NaN = 16,  // NaN wins
  flag_xorsign = 32,
  flag_relu = 64,  // negative results are zero
};

// Two numbers of 16 bits in a register.
template <class T>
struct Halves {
  T low, high;
};

// Memory.
inline void* global_at(unsigned long long address) {
  return reinterpret_cast<void*>(address);
}
inline void* shared_at(unsigned long long address) {
  return shared_pointer(static_cast<std::size_t>(address));
}
inline unsigned long long to_shared(unsigned long long generic) {
  return shared_offset(reinterpret_cast<const void*>(generic));
}
inline unsigned long long from_shared(unsigned long long address) {
  return reinterpret_cast<unsigned long long>(shared_pointer(address));
}
#ifdef __SIMT_XRAY__
// As one access, at the line of the program that makes it.
template <class T, int N>
struct alignas(sizeof(T) * N) Whole {
  Array<T, N> values;
};
template <class T, int N>
[[gnu::always_inline]] inline Array<T, N> load(const void* at) {
  return static_cast<const Whole<T, N>*>(at)->values;
}
template <class T, int N>
[[gnu::always_inline]] inline void store(void* at, const Array<T, N>& values) {
  static_cast<Whole<T, N>*>(at)->values = values;
}
#else
// The values of one access are aligned as a whole.
template <class T, int N>
[[gnu::always_inline]] inline void require_whole(const void* at, [[maybe_unused]] bool write) {
  struct alignas(sizeof(T) * N) Whole {
    T value[N];
  };
#ifdef __SIMT_CHECK__
  if (reinterpret_cast<std::size_t>(at) % sizeof(Whole) != 0)
    ::simt_check_misaligned(at, sizeof(Whole), write);
#else
  simt::require_alignment(static_cast<const Whole*>(at));
#endif
}
template <class T, int N>
[[gnu::always_inline]] inline Array<T, N> load(const void* at) {
  require_whole<T, N>(at, false);
  Array<T, N> out;
  for (int i = 0; i < N; ++i) out.value[i] = static_cast<const T*>(at)[i];
  return out;
}
template <class T, int N>
[[gnu::always_inline]] inline void store(void* at, const Array<T, N>& values) {
  require_whole<T, N>(at, true);
  for (int i = 0; i < N; ++i) static_cast<T*>(at)[i] = values[i];
}
#endif

}  // namespace simt::ptx
