#pragma once

// Elements and products whose types are chosen at run time.

#include <cmath>
#include <cstdint>

#include "internal.h"

namespace simt::cublas {

inline bool known(cudaDataType type) {
  return type == CUDA_R_16F || type == CUDA_R_16BF || type == CUDA_R_32F || type == CUDA_R_64F ||
         type == CUDA_R_8I || type == CUDA_R_32I;
}

inline std::size_t bytes_of(cudaDataType type) {
  return type == CUDA_R_8I                           ? 1
         : type == CUDA_R_64F                        ? 8
         : type == CUDA_R_16F || type == CUDA_R_16BF ? 2
                                                     : 4;
}

inline double load(const void* from, cudaDataType type, std::size_t i) {
  switch (type) {
    case CUDA_R_16F:
      return __half2float(static_cast<const __half*>(from)[i]);
    case CUDA_R_16BF:
      return __bfloat162float(static_cast<const __nv_bfloat16*>(from)[i]);
    case CUDA_R_64F:
      return static_cast<const double*>(from)[i];
    case CUDA_R_8I:
      return static_cast<const std::int8_t*>(from)[i];
    case CUDA_R_32I:
      return static_cast<const std::int32_t*>(from)[i];
    default:
      return static_cast<const float*>(from)[i];
  }
}

inline void store(void* to, cudaDataType type, std::size_t i, double value) {
  switch (type) {
    case CUDA_R_16F:
      static_cast<__half*>(to)[i] = __float2half(static_cast<float>(value));
      break;
    case CUDA_R_16BF:
      static_cast<__nv_bfloat16*>(to)[i] = __float2bfloat16(static_cast<float>(value));
      break;
    case CUDA_R_64F:
      static_cast<double*>(to)[i] = value;
      break;
    case CUDA_R_8I:
      static_cast<std::int8_t*>(to)[i] =
          static_cast<std::int8_t>(std::nearbyint(std::fmin(127, std::fmax(-128, value))));
      break;
    case CUDA_R_32I:
      static_cast<std::int32_t*>(to)[i] =
          static_cast<std::int32_t>(static_cast<std::int64_t>(value));
      break;
    default:
      static_cast<float*>(to)[i] = static_cast<float>(value);
  }
}

inline void multiply(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, double alpha,
                     const float* a, int lda, const float* b, int ldb, double beta, float* c) {
  cblas_sgemm(CblasColMajor, ta, tb, m, n, k, static_cast<float>(alpha), a, lda, b, ldb,
              static_cast<float>(beta), c, std::max(1, m));
}
inline void multiply(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, double alpha,
                     const double* a, int lda, const double* b, int ldb, double beta, double* c) {
  cblas_dgemm(CblasColMajor, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, std::max(1, m));
}

// The type of alpha and beta.
inline cudaDataType scalar_type(cublasComputeType_t compute) {
  switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
      return CUDA_R_16F;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
    case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT:
      return CUDA_R_64F;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
      return CUDA_R_32I;
    default:
      return CUDA_R_32F;
  }
}

}  // namespace simt::cublas
