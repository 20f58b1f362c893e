// cuTensorMapEncodeTiled and its relatives, with the driver's rules, and the driver's functions by
// name.

#include <cuda.h>
#include <simt/fault.h>
#include <simt/tensor_map.h>

#include <cstdio>
#include <cstring>
#include <string_view>

#include "api/internal.h"

namespace simt {
namespace {

bool is_multiple(std::uint64_t value, std::uint64_t of) {
  return value % of == 0;
}

CUresult not_here(const char* why) {
  std::fprintf(stderr, "simt: %s\n", why);
  return refused(CUDA_ERROR_NOT_SUPPORTED, why);
}

bool is_float(CUtensorMapDataType type) {
  return type >= CU_TENSOR_MAP_DATA_TYPE_FLOAT16 && type <= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ;
}

Element element_of(CUtensorMapDataType type) {
  return static_cast<Element>(type);  // in the same order
}
static_assert(static_cast<int>(Element::bf16) == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
static_assert(static_cast<int>(Element::tf32_ftz) == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ);

struct Entry {
  const char* name;
  void* function;
};

template <class Function>
Entry entry(const char* name, Function* function) {
  return {name, reinterpret_cast<void*>(function)};
}

// What programs ask for because they do not link to the driver.
const Entry* find_entry(std::string_view name) {
  static const Entry entries[] = {
      entry("cuTensorMapEncodeTiled", &cuTensorMapEncodeTiled),
      entry("cuTensorMapEncodeIm2col", &cuTensorMapEncodeIm2col),
      entry("cuTensorMapReplaceAddress", &cuTensorMapReplaceAddress),
      entry("cuInit", &cuInit),
      entry("cuDriverGetVersion", &cuDriverGetVersion),
      entry("cuGetErrorName", &cuGetErrorName),
      entry("cuGetErrorString", &cuGetErrorString),
      entry("cuDeviceGet", &cuDeviceGet),
      entry("cuDeviceGetCount", &cuDeviceGetCount),
      entry("cuDeviceGetAttribute", &cuDeviceGetAttribute),
      entry("cuCtxGetCurrent", &cuCtxGetCurrent),
      entry("cuCtxGetDevice", &cuCtxGetDevice),
      entry("cuCtxGetId", &cuCtxGetId),
      entry("cuMemGetAddressRange", &cuMemGetAddressRange),
      entry("cuLaunchKernel", &cuLaunchKernel),
  };
  for (const Entry& each : entries) {
    if (name == each.name) return &each;
  }
  return nullptr;
}

}  // namespace

void tensor_map_replace(void* at, MapField field, unsigned number, unsigned long long value,
                        Site site) {
  TensorMap map;
  std::memcpy(&map, at, sizeof map);
  const bool per_axis = field == MapField::box_dim || field == MapField::global_dim ||
                        field == MapField::global_stride || field == MapField::element_stride;
  if (map.magic != map_magic ||
      (per_axis && number >= (field == MapField::global_stride ? 4u : 5u))) {
    fault(cudaErrorIllegalInstruction, "tensormap.replace: no tensor map, or no such axis", site);
  }
  switch (field) {
    case MapField::global_address:
      map.address = reinterpret_cast<char*>(value);
      break;
    case MapField::rank:
      map.rank = static_cast<std::uint8_t>(value + 1);
      break;
    case MapField::box_dim:
      map.box[number] = static_cast<std::uint16_t>(value);
      break;
    case MapField::global_dim:
      map.last[number] = static_cast<std::uint32_t>(value - 1);
      break;
    case MapField::global_stride:
      map.strides[number] = value;
      break;
    case MapField::element_stride:
      map.element_strides[number] = static_cast<std::uint8_t>(value);
      break;
    case MapField::elemtype:
      map.element = static_cast<Element>(value);
      break;
    case MapField::interleave_layout:
      if (value != 0) fault(cudaErrorNotSupported, "tensor maps with an interleaved layout", site);
      break;
    case MapField::swizzle_mode:
      map.swizzle = static_cast<std::uint8_t>(value);
      break;
    case MapField::fill_mode:
      map.nan_fill = value != 0;
      break;
  }
  std::memcpy(at, &map, sizeof map);
}

}  // namespace simt

CUresult cuTensorMapEncodeTiled(CUtensorMap* tensorMap, CUtensorMapDataType type, cuuint32_t rank,
                                void* address, const cuuint64_t* dims, const cuuint64_t* strides,
                                const cuuint32_t* box, const cuuint32_t* element_strides,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  using simt::is_multiple;
  constexpr CUresult invalid = CUDA_ERROR_INVALID_VALUE;
  if (!tensorMap || !dims || !box || !element_strides || (rank > 1 && !strides)) return invalid;
  if (!is_multiple(reinterpret_cast<std::uintptr_t>(tensorMap), 64)) return invalid;
  if (rank == 0 || rank > simt::max_rank) return invalid;
  if (type < CU_TENSOR_MAP_DATA_TYPE_UINT8 || type > CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B ||
      interleave > CU_TENSOR_MAP_INTERLEAVE_32B || promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B ||
      swizzle > CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B ||
      fill > CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA) {
    return invalid;
  }
  if (!address || !is_multiple(reinterpret_cast<std::uintptr_t>(address), 16)) return invalid;
  if (type >= CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B) {
    return simt::not_here("tensor maps of 4-bit and 6-bit types are for GPUs after Hopper");
  }
  if (swizzle > CU_TENSOR_MAP_SWIZZLE_128B) {
    return simt::not_here(
        "tensor maps with other swizzles than 32, 64 and 128 bytes are for GPUs after Hopper");
  }
  if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE) {
    return rank < 3 ? invalid
                    : simt::not_here("tensor maps with an interleaved layout are not supported");
  }
  const simt::Element element = simt::element_of(type);
  const std::size_t size = simt::element_size(element);
  for (cuuint32_t i = 0; i < rank; ++i) {
    if (dims[i] == 0 || dims[i] > (cuuint64_t{1} << 32)) return invalid;
    if (box[i] == 0 || box[i] > 256 || element_strides[i] == 0 || element_strides[i] > 8)
      return invalid;
    if (i > 0 && (!is_multiple(strides[i - 1], 16) || strides[i - 1] >= cuuint64_t{1} << 40))
      return invalid;
  }
  const std::size_t row = box[0] * size;
  if (!is_multiple(row, 16)) return invalid;
  if (swizzle != CU_TENSOR_MAP_SWIZZLE_NONE && row > std::size_t{16} << swizzle) return invalid;
  if (fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE && !simt::is_float(type)) return invalid;
  simt::TensorMap map = {};
  map.magic = simt::map_magic;
  map.element = element;
  map.rank = static_cast<std::uint8_t>(rank);
  map.swizzle = static_cast<std::uint8_t>(swizzle);
  map.nan_fill = fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  map.address = static_cast<char*>(address);
  for (cuuint32_t i = 0; i < rank; ++i) {
    map.last[i] = static_cast<std::uint32_t>(dims[i] - 1);
    map.box[i] = static_cast<std::uint16_t>(box[i]);
    map.element_strides[i] = static_cast<std::uint8_t>(element_strides[i]);
    if (i > 0) map.strides[i - 1] = strides[i - 1];
  }
  *tensorMap = {};
  std::memcpy(tensorMap, &map, sizeof map);
  return CUDA_SUCCESS;
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*,
                                 const cuuint64_t*, const cuuint64_t*, const int*, const int*,
                                 cuuint32_t, cuuint32_t, const cuuint32_t*, CUtensorMapInterleave,
                                 CUtensorMapSwizzle, CUtensorMapL2promotion,
                                 CUtensorMapFloatOOBfill) {
  return simt::not_here(
      "cuTensorMapEncodeIm2col is not supported; describe the boxes with cuTensorMapEncodeTiled");
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* tensorMap, void* address) {
  if (!tensorMap || !address || !simt::is_multiple(reinterpret_cast<std::uintptr_t>(address), 16)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  simt::TensorMap map;
  std::memcpy(&map, tensorMap, sizeof map);
  if (map.magic != simt::map_magic) return CUDA_ERROR_INVALID_VALUE;
  map.address = static_cast<char*>(address);
  std::memcpy(tensorMap, &map, sizeof map);
  return CUDA_SUCCESS;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned int,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult* status) {
  if (!symbol || !function) return simt::api::record(cudaErrorInvalidValue);
  const simt::Entry* const found = simt::find_entry(symbol);
  *function = found != nullptr ? found->function : nullptr;
  if (status != nullptr) {
    *status = found != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
  }
  return found != nullptr ? cudaSuccess : simt::api::record(cudaErrorSymbolNotFound);
}

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* status) {
  return cudaGetDriverEntryPointByVersion(symbol, function, CUDA_VERSION, flags, status);
}
