// Describes a tensor to TMA: a stack of matrices, copied box by box, each
// row of a box 128 bytes long and swizzled as the tensor cores read it.
#pragma once
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>

#include "core/host/error.h"
#include "core/host/tensor.h"

namespace warpath {

inline constexpr int box_row_bytes = 128;

struct MatrixStack {
  DType dtype;
  const void* data;
  std::int64_t inner, rows, batches;      // sizes; the inner axis is contiguous
  std::int64_t row_stride, batch_stride;  // in elements
};

namespace detail {

// The driver's function, found through the runtime: no program of ours links to the driver itself.
inline auto tensor_map_encoder() {
  static const auto encode = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
    CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000,
                                                cudaEnableDefault, &result));
    WARPATH_CHECK(found && result == cudaDriverEntryPointSuccess,
                  "this driver has no cuTensorMapEncodeTiled: CUDA 12 or later is needed");
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
  }();
  return encode;
}

inline CUtensorMapDataType map_type(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case DType::f16:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case DType::bf16:
      return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    default:
      throw Error("no tensor map for dtype " + std::string(name(dtype)));
  }
}

// Strides must be multiples of 16 bytes. The stride of an axis of one element is never used: any
// will do.
inline std::uint64_t stride_bytes(const MatrixStack& m, std::int64_t size, std::int64_t stride) {
  const auto row = static_cast<std::int64_t>(size_of(m.dtype));
  const std::int64_t shortest = (m.inner * row + 15) / 16 * 16;
  return static_cast<std::uint64_t>(size <= 1 || stride == 0 ? shortest : stride * row);
}

}  // namespace detail

// Whether TMA can copy these matrices at all.
inline bool fits_tensor_map(const MatrixStack& m) {
  const auto steps = [&](std::int64_t size, std::int64_t stride) {
    return size <= 1 || (stride >= 0 && stride * std::int64_t(size_of(m.dtype)) % 16 == 0);
  };
  const auto small = [](std::int64_t size) { return size >= 1 && size < (std::int64_t(1) << 31); };
  return reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0 && small(m.inner) && small(m.rows) &&
         small(m.batches) && steps(m.rows, m.row_stride) && (m.rows == 1 || m.row_stride > 0) &&
         steps(m.batches, m.batch_stride);
}

namespace detail {

// `strides` in bytes, of all axes except the first.
template <int Rank>
CUtensorMap encode_tiled(DType dtype, const void* data, const cuuint64_t (&sizes)[Rank],
                         const cuuint64_t (&strides)[Rank - 1], int box_rows) {
  cuuint32_t box[Rank], every[Rank];
  for (int i = 0; i < Rank; ++i) box[i] = every[i] = 1;
  box[0] = static_cast<cuuint32_t>(box_row_bytes / size_of(dtype));
  box[1] = static_cast<cuuint32_t>(box_rows);
  CUtensorMap map{};
  const CUresult status =
      tensor_map_encoder()(&map, map_type(dtype), Rank, const_cast<void*>(data), sizes, strides,
                           box, every, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                           CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  WARPATH_CHECK(status == CUDA_SUCCESS, "the driver refused a tensor map (error " +
                                            std::to_string(static_cast<int>(status)) + ")");
  return map;
}

}  // namespace detail

// Boxes of 128 bytes by `box_rows` (at most 256). A batch stride of 0 (one matrix for the whole
// batch) becomes a stack of one: the kernel then always asks for batch 0.
inline CUtensorMap tensor_map(const MatrixStack& m, int box_rows) {
  const cuuint64_t sizes[] = {static_cast<cuuint64_t>(m.inner), static_cast<cuuint64_t>(m.rows),
                              static_cast<cuuint64_t>(m.batch_stride == 0 ? 1 : m.batches)};
  const cuuint64_t strides[] = {detail::stride_bytes(m, m.rows, m.row_stride),
                                detail::stride_bytes(m, m.batches, m.batch_stride)};
  return detail::encode_tiled(m.dtype, m.data, sizes, strides, box_rows);
}

// A tensor (batch, row, head, inner) with a contiguous inner axis: the boxes of one head, as HeadBox places them.
inline bool fits_head_map(const Tensor& t) {
  const auto each = static_cast<std::int64_t>(size_of(t.dtype));
  for (int i = 0; i < 3; ++i)
    if (t.shape[i] > 1 && (t.stride[i] <= 0 || t.stride[i] * each % 16 != 0)) return false;
  return t.is_aligned(16) && t.size() > 0 && (t.shape[3] == 1 || t.stride[3] == 1);
}
inline CUtensorMap head_map(const Tensor& t, int box_rows) {
  const auto stride = [&](int axis) {  // that of an axis of one element is never used
    const auto each = static_cast<std::int64_t>(size_of(t.dtype));
    const std::int64_t shortest = (t.shape[3] * each + 15) / 16 * 16;
    return static_cast<cuuint64_t>(t.shape[axis] <= 1 ? shortest : t.stride[axis] * each);
  };
  const auto size = [&](int axis) { return static_cast<cuuint64_t>(t.shape[axis]); };
  const cuuint64_t sizes[] = {size(3), size(1), size(2), size(0)};
  const cuuint64_t strides[] = {stride(1), stride(2), stride(0)};
  return detail::encode_tiled(t.dtype, t.data, sizes, strides, box_rows);
}

}  // namespace warpath
