#pragma once

// A GPU reads and writes a type only at a multiple of its alignment: cudaErrorMisalignedAddress elsewhere. A CPU does not
// mind, and the compiler takes vectors apart. The loads and stores that are functions (__ldg, __stcs, inline PTX) look at
// the address here; for a plain `*p` the compiler does (-fsanitize=alignment).

#include <cstddef>
#include <type_traits>

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

}  // namespace simt
