#pragma once

// Atomic objects: what cuda::atomic, cuda::atomic_ref and cuda::std::atomic have in common. Every
// access is made in full order; acquire and release bring fences, which the race check knows.

#include <simt/atomic.h>
#include <simt/sync.h>

#include <atomic>
#include <cstddef>
#include <type_traits>

namespace simt {

inline bool acquires(std::memory_order order) {
  return order != std::memory_order_relaxed && order != std::memory_order_release;
}
inline bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

template <class T>
SIMT_ATOMIC_INLINE T atomic_load(const T* address, std::memory_order order) {
  using Bits = typename AtomicBits<sizeof(T)>::type;
  spin_hint();
  const Bits bits = __atomic_load_n(reinterpret_cast<const Bits*>(address), __ATOMIC_SEQ_CST);
  if (acquires(order)) fence();
  T value;
  std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
  return value;
}

template <class T>
SIMT_ATOMIC_INLINE void atomic_store(T* address, T value, std::memory_order order) {
  using Bits = typename AtomicBits<sizeof(T)>::type;
  if (releases(order)) fence();
  Bits bits;
  std::memcpy(&bits, static_cast<const void*>(&value), sizeof bits);
  __atomic_store_n(reinterpret_cast<Bits*>(address), bits, __ATOMIC_SEQ_CST);
}

// The value before; change(old) gives the new one.
template <class T, class F>
SIMT_ATOMIC_INLINE T atomic_update(T* address, std::memory_order order, F change) {
  if (releases(order)) fence();
  const T old = atomic_rmw(address, change);
  if (acquires(order)) fence();
  return old;
}

template <class T>
SIMT_ATOMIC_INLINE bool atomic_compare_exchange(T* address, T& expected, T wanted,
                                                std::memory_order order) {
  using Bits = typename AtomicBits<sizeof(T)>::type;
  if (releases(order)) fence();
  spin_hint();
  Bits seen, next;
  std::memcpy(&seen, static_cast<const void*>(&expected), sizeof seen);
  std::memcpy(&next, static_cast<const void*>(&wanted), sizeof next);
  const bool done = __atomic_compare_exchange_n(reinterpret_cast<Bits*>(address), &seen, next,
                                                false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  std::memcpy(static_cast<void*>(&expected), &seen, sizeof seen);
  if (acquires(order)) fence();
  return done;
}

// A parameter from which no type is deduced.
template <class T>
struct UndeducedType {
  using type = T;
};
template <class T>
using Undeduced = typename UndeducedType<T>::type;

// The members; Derived::address() says where the value is.
template <class Derived, class T>
class AtomicInterface {
  static_assert(std::is_trivially_copyable_v<T>, "an atomic's type can be copied as bytes");
  using Order = std::memory_order;
  static constexpr Order strongest = std::memory_order_seq_cst;
  // What is added to a T: a pointer moves by elements.
  using Step = std::conditional_t<std::is_pointer_v<T>, std::ptrdiff_t, T>;

 public:
  using value_type = T;
  using difference_type = Step;
  static constexpr bool is_always_lock_free = true;
  bool is_lock_free() const volatile { return true; }

  T load(Order order = strongest) const volatile { return atomic_load(at(), order); }
  void store(T value, Order order = strongest) const volatile { atomic_store(at(), value, order); }
  T exchange(T value, Order order = strongest) const volatile {
    return atomic_update(at(), order, [=](T) { return value; });
  }
  bool compare_exchange_strong(T& expected, T wanted, Order order = strongest) const volatile {
    return atomic_compare_exchange(at(), expected, wanted, order);
  }
  bool compare_exchange_strong(T& expected, T wanted, Order order, Order) const volatile {
    return compare_exchange_strong(expected, wanted, order);
  }
  bool compare_exchange_weak(T& expected, T wanted, Order order = strongest) const volatile {
    return compare_exchange_strong(expected, wanted, order);
  }
  bool compare_exchange_weak(T& expected, T wanted, Order order, Order) const volatile {
    return compare_exchange_strong(expected, wanted, order);
  }

#define SIMT_FETCH(NAME, OPERAND, EXPRESSION)                                  \
  T NAME(OPERAND operand, Order order = strongest) const volatile {            \
    return atomic_update(at(), order, [=](T old) -> T { return EXPRESSION; }); \
  }
  SIMT_FETCH(fetch_add, Step, static_cast<T>(old + operand))
  SIMT_FETCH(fetch_sub, Step, static_cast<T>(old - operand))
  SIMT_FETCH(fetch_and, T, static_cast<T>(old& operand))
  SIMT_FETCH(fetch_or, T, static_cast<T>(old | operand))
  SIMT_FETCH(fetch_xor, T, static_cast<T>(old ^ operand))
  SIMT_FETCH(fetch_min, T, operand < old ? operand : old)
  SIMT_FETCH(fetch_max, T, old < operand ? operand : old)
#undef SIMT_FETCH

  // Returns when the value is no longer `old`; whoever changes it is let go on meanwhile.
  void wait(T old, Order order = strongest) const volatile {
    for (T now = load(order); std::memcmp(&now, &old, sizeof old) == 0;) now = load(order);
  }
  void notify_one() const volatile {}
  void notify_all() const volatile {}

  operator T() const volatile {
    return load();
  }
  T operator++() const volatile {
    return fetch_add(1) + 1;
  }
  T operator++(int) const volatile {
    return fetch_add(1);
  }
  T operator--() const volatile {
    return fetch_sub(1) - 1;
  }
  T operator--(int) const volatile {
    return fetch_sub(1);
  }
  T operator+=(Step operand) const volatile {
    return fetch_add(operand) + operand;
  }
  T operator-=(Step operand) const volatile {
    return fetch_sub(operand) - operand;
  }
  T operator&=(T operand) const volatile {
    return fetch_and(operand) & operand;
  }
  T operator|=(T operand) const volatile {
    return fetch_or(operand) | operand;
  }
  T operator^=(T operand) const volatile {
    return fetch_xor(operand) ^ operand;
  }

 private:
  T* at() const volatile {
    return static_cast<const volatile Derived*>(this)->address();
  }
};

}  // namespace simt
