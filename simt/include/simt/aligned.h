#pragma once

// A GPU reads and writes a vector type only at a multiple of its size: cudaErrorMisalignedAddress elsewhere. A CPU does not
// mind, and the compiler takes vectors apart. So the translator puts `aligned` around the pointers through which device
// code accesses memory (cc/translate/rewrite_aligned.cpp). It costs nothing for scalars: those are looked at only where a
// pointer has just been cast, by `aligned_cast`.

#include <cstddef>
#include <type_traits>
#include <utility>

namespace simt {

// Ends the kernel; on the host it does nothing.
[[gnu::cold, gnu::noinline]] void misaligned_access(const volatile void* address,
                                                    std::size_t alignment);

template <class T>
[[gnu::always_inline]] constexpr void require_alignment(const volatile T* pointer) {
#ifndef __SIMT_CHECK__  // the checks look at every access themselves
  if (__builtin_is_constant_evaluated()) return;
  if (__builtin_expect((reinterpret_cast<std::size_t>(pointer) & (alignof(T) - 1)) != 0, 0))
    misaligned_access(pointer, alignof(T));
#else
  (void)pointer;
#endif
}

template <class T>
[[gnu::always_inline]] constexpr T* aligned(T* pointer) {
  using Type = std::remove_cv_t<T>;
  if constexpr (std::is_class_v<Type> || std::is_union_v<Type>) {
    if constexpr (alignof(Type) >= 16 || (alignof(Type) >= 4 && sizeof(Type) == alignof(Type)))
      require_alignment(pointer);
  }
  return pointer;
}
// What is no pointer after all stays as it is.
template <class T>
[[gnu::always_inline]] constexpr T&& aligned(T&& other) {
  return static_cast<T&&>(other);
}

template <class T>
[[gnu::always_inline]] constexpr T* aligned_cast(T* pointer) {
  if constexpr (std::is_object_v<T>) {
    if constexpr (alignof(T) > 1) require_alignment(pointer);
  }
  return pointer;
}
template <class T>
[[gnu::always_inline]] constexpr T&& aligned_cast(T&& other) {
  return static_cast<T&&>(other);
}

// `*(T*)p` as `CastTo<T>() ->* p`: the operand ends where it does for a cast.
template <class T>
struct CastTo {
  template <class Pointer>
  [[gnu::always_inline]] friend constexpr T& operator->*(CastTo, Pointer&& pointer) {
    return *aligned_cast((T*)(pointer));
  }
};

}  // namespace simt
