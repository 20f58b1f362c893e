// From a dtype known at run time to a type known at compile time.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <string>

#include "core/host/dtype.h"
#include "core/host/error.h"

namespace warpath {

template <class T>
struct Tag {
  using type = T;
};

template <class T>
inline constexpr DType dtype_of = DType::boolean;
template <>
inline constexpr DType dtype_of<double> = DType::f64;
template <>
inline constexpr DType dtype_of<float> = DType::f32;
template <>
inline constexpr DType dtype_of<__half> = DType::f16;
template <>
inline constexpr DType dtype_of<__nv_bfloat16> = DType::bf16;
template <>
inline constexpr DType dtype_of<int> = DType::i32;
template <>
inline constexpr DType dtype_of<long long> = DType::i64;
template <>
inline constexpr DType dtype_of<short> = DType::i16;
template <>
inline constexpr DType dtype_of<signed char> = DType::i8;
template <>
inline constexpr DType dtype_of<unsigned long long> = DType::u64;
template <>
inline constexpr DType dtype_of<unsigned> = DType::u32;
template <>
inline constexpr DType dtype_of<unsigned short> = DType::u16;
template <>
inline constexpr DType dtype_of<unsigned char> = DType::u8;

// With WARPATH_ONE_HALF_TYPE only one of the two 16-bit types is built. It is for the builds with
// checks, which take long to compile and run: both types take the same path through a kernel.
template <class T>
inline constexpr bool is_built = true;
#ifdef WARPATH_ONE_HALF_TYPE
template <>
inline constexpr bool is_built<__half> = false;
#endif

// dispatch<float, __half>(x.dtype, [&](auto tag) { using T = typename decltype(tag)::type; … });
template <class... Types, class F>
void dispatch(DType dtype, F&& f) {
  const auto call_if = [&]<class T>(Tag<T> tag) {
    if constexpr (is_built<T>)
      if (dtype_of<T> == dtype) return f(tag), true;
    return false;
  };
  const bool found = (call_if(Tag<Types>{}) || ...);
  WARPATH_CHECK(found, "no kernel for dtype " + std::string(name(dtype)));
}

// The three types most floating-point ops take.
template <class F>
void dispatch_float(DType dtype, F&& f) {
  dispatch<float, __half, __nv_bfloat16>(dtype, f);
}

}  // namespace warpath
