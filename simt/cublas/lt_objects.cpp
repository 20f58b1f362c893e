// cublasLt's objects: creating, changing and querying them.

#include <cstring>

#include "lt.h"

namespace {

// Where an attribute lies and how large it is; null for those that change nothing here.
struct Slot {
  void* at;
  std::size_t size;
};
template <class T>
Slot slot(T& value) {
  return {&value, sizeof value};
}

Slot find(cublasLtMatmulDescOpaque& d, cublasLtMatmulDescAttributes_t attribute) {
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE:
      return slot(d.compute);
    case CUBLASLT_MATMUL_DESC_SCALE_TYPE:
      return slot(d.scale);
    case CUBLASLT_MATMUL_DESC_POINTER_MODE:
      return slot(d.pointer_mode);
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return slot(d.ta);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return slot(d.tb);
    case CUBLASLT_MATMUL_DESC_TRANSC:
      return slot(d.tc);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return slot(d.epilogue);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      return slot(d.bias);
    case CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE:
      return slot(d.bias_stride);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER:
      return slot(d.aux);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD:
      return slot(d.aux_ld);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE:
      return slot(d.aux_stride);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE:
      return slot(d.aux_type);
    case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
      return slot(d.bias_type);
    default:
      return {nullptr, 0};
  }
}

Slot find(cublasLtMatrixLayoutOpaque& l, cublasLtMatrixLayoutAttribute_t attribute) {
  switch (attribute) {
    case CUBLASLT_MATRIX_LAYOUT_TYPE:
      return slot(l.type);
    case CUBLASLT_MATRIX_LAYOUT_ORDER:
      return slot(l.order);
    case CUBLASLT_MATRIX_LAYOUT_ROWS:
      return slot(l.rows);
    case CUBLASLT_MATRIX_LAYOUT_COLS:
      return slot(l.cols);
    case CUBLASLT_MATRIX_LAYOUT_LD:
      return slot(l.ld);
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
      return slot(l.batch);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
      return slot(l.stride);
    default:
      return {nullptr, 0};
  }
}

cublasStatus_t set(Slot slot, const void* value, std::size_t size) {
  if (slot.at == nullptr) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (value == nullptr || size != slot.size) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(slot.at, value, size);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t get(Slot slot, void* value, std::size_t size, std::size_t* written) {
  if (slot.at == nullptr) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (written != nullptr) *written = slot.size;
  if (size == 0 && written != nullptr) return CUBLAS_STATUS_SUCCESS;
  if (value == nullptr || size < slot.size) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(value, slot.at, slot.size);
  return CUBLAS_STATUS_SUCCESS;
}

template <class Handle, class... A>
cublasStatus_t create(Handle* handle, A... a) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = new std::remove_pointer_t<Handle>{a...};
  return CUBLAS_STATUS_SUCCESS;
}
template <class Handle>
cublasStatus_t destroy(Handle handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

extern "C" {
cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  return create(handle);
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  return destroy(handle);
}
size_t cublasLtGetVersion() {
  return CUBLAS_VERSION;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* desc, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  return create(desc, compute, scale);
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
  return destroy(desc);
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, size_t size) {
  if (desc == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  // How many multiprocessors, and how exact the sums: nothing to choose here.
  if (attribute == CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET ||
      attribute == CUBLASLT_MATMUL_DESC_FAST_ACCUM) {
    return CUBLAS_STATUS_SUCCESS;
  }
  return set(find(*desc, attribute), value, size);
}
cublasStatus_t cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t desc,
                                              cublasLtMatmulDescAttributes_t attribute, void* value,
                                              size_t size, size_t* written) {
  if (desc == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  return get(find(*desc, attribute), value, size, written);
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type,
                                          uint64_t rows, uint64_t cols, int64_t ld) {
  return create(layout, type, rows, cols, ld);
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  return destroy(layout);
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                const void* value, size_t size) {
  if (layout == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  return set(find(*layout, attribute), value, size);
}
cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                void* value, size_t size, size_t* written) {
  if (layout == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  return get(find(*layout, attribute), value, size, written);
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  return create(preference);
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  return destroy(preference);
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t,
                                                    const void* value, size_t) {
  return preference && value ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
}
