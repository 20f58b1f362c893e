// From a dtype known at run time to a type known at compile time.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <string>

#include "core/dtype.h"
#include "core/error.h"

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
inline constexpr DType dtype_of<unsigned char> = DType::u8;

// dispatch<float, __half>(x.dtype, [&](auto tag) { using T = typename decltype(tag)::type; … });
template <class... Types, class F>
void dispatch(DType dtype, F&& f) {
  const bool found = ((dtype_of<Types> == dtype ? (f(Tag<Types>{}), true) : false) || ...);
  WARPATH_CHECK(found, "no kernel for dtype " + std::string(name(dtype)));
}

// The three types most floating-point ops take.
template <class F>
void dispatch_float(DType dtype, F&& f) {
  dispatch<float, __half, __nv_bfloat16>(dtype, f);
}

}  // namespace warpath
