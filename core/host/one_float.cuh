// For a kernel that is run on one case only, to be counted: of the types that dispatch_float knows, one is built.
// In front of the source: -DWARPATH_ONE_FLOAT=f32 -include core/host/one_float.cuh. A call with another type is refused.
#pragma once
#include "core/host/dispatch.cuh"

namespace warpath {

template <>
inline constexpr bool is_built<float> = DType::WARPATH_ONE_FLOAT == DType::f32;
template <>
inline constexpr bool is_built<__half> = DType::WARPATH_ONE_FLOAT == DType::f16;
template <>
inline constexpr bool is_built<__nv_bfloat16> = DType::WARPATH_ONE_FLOAT == DType::bf16;

}  // namespace warpath
