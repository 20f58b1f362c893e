#pragma once

// Strong loads and stores, atom and red, as the functions that inline PTX becomes.

#include <simt/atomic_object.h>
#include <simt/ptx_values.h>
#include <simt/small_float.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace simt::ptx {

// ld.acquire, st.release, and volatile or relaxed ones.
template <class T, std::memory_order Order>
SIMT_ATOMIC_INLINE Array<T, 1> load_strong(const void* at) {
  return {{atomic_load(static_cast<const T*>(at), Order)}};
}
template <std::memory_order Order, class T>
SIMT_ATOMIC_INLINE void store_strong(void* at, const Array<T, 1>& value) {
  atomic_store(static_cast<T*>(at), value[0], Order);
}

enum class Atom { add, min, max, bit_and, bit_or, bit_xor, inc, dec, exch, cas };

// Two small floats in a word.
enum class Pair { f16, bf16 };

template <Atom Op, class T>
T atom_of(T old, T value) {
  if constexpr (Op == Atom::exch) {
    return value;
  } else if constexpr (std::is_floating_point_v<T>) {
    return Op == Atom::add   ? old + value
           : Op == Atom::min ? fmin_of<T, 0>(old, value)
                             : fmax_of<T, 0>(old, value);
  } else if constexpr (Op == Atom::add) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(old) + static_cast<U>(value));
  } else if constexpr (Op == Atom::min) {
    return std::min(old, value);
  } else if constexpr (Op == Atom::max) {
    return std::max(old, value);
  } else if constexpr (Op == Atom::bit_and) {
    return old & value;
  } else if constexpr (Op == Atom::bit_or) {
    return old | value;
  } else if constexpr (Op == Atom::bit_xor) {
    return old ^ value;
  } else if constexpr (Op == Atom::inc) {
    return old >= value ? T{0} : static_cast<T>(old + 1);
  } else {
    return old == 0 || old > value ? value : static_cast<T>(old - 1);
  }
}

template <Pair P>
float widen_half(unsigned short bits) {
  return P == Pair::f16 ? half_to_float(bits) : bfloat16_to_float(bits);
}
template <Pair P>
unsigned short narrow_half(float value) {
  return P == Pair::f16 ? float_to_half(value) : float_to_bfloat16(value);
}

template <class T, Atom Op, class Value>
SIMT_ATOMIC_INLINE T atom(void* at, const Value& value) {
  const T operand = as<T>(value);
  return atomic_rmw(static_cast<T*>(at), [&](T old) {
    if constexpr (std::is_floating_point_v<T> && Op == Atom::add) {
      return atomic_sum(static_cast<const T*>(at), old, operand);
    } else {
      return atom_of<Op>(old, operand);
    }
  });
}
template <class T, class Expected, class Value>
SIMT_ATOMIC_INLINE T atom_cas(void* at, const Expected& expected, const Value& value) {
  const T wanted = as<T>(expected), next = as<T>(value);
  return atomic_rmw(static_cast<T*>(at), [&](T old) { return old == wanted ? next : old; });
}
// On one or two small floats.
template <class Bits, Pair P, Atom Op, class Value>
SIMT_ATOMIC_INLINE Bits atom_small(void* at, const Value& value) {
  const Bits operand = as<Bits>(value);
  return atomic_rmw(static_cast<Bits*>(at), [&](Bits old) {
    Bits out = 0;
    for (unsigned i = 0; i < sizeof(Bits) * 8; i += 16) {
      const float sum = atom_of<Op>(widen_half<P>(static_cast<unsigned short>(old >> i)),
                                    widen_half<P>(static_cast<unsigned short>(operand >> i)));
      out = static_cast<Bits>(out | static_cast<Bits>(narrow_half<P>(sum)) << i);
    }
    return out;
  });
}
// Several values, each in a step of its own.
template <class T, Atom Op, int N>
SIMT_ATOMIC_INLINE Array<T, N> atom_all(void* at, const Array<T, N>& values) {
  Array<T, N> old;
  for (int i = 0; i < N; ++i) old.value[i] = atom<T, Op>(static_cast<T*>(at) + i, values[i]);
  return old;
}
template <class Bits, Pair P, Atom Op, int N>
SIMT_ATOMIC_INLINE Array<Bits, N> atom_all_small(void* at, const Array<Bits, N>& values) {
  Array<Bits, N> old;
  for (int i = 0; i < N; ++i) {
    old.value[i] = atom_small<Bits, P, Op>(static_cast<Bits*>(at) + i, values[i]);
  }
  return old;
}

}  // namespace simt::ptx
