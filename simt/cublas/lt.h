#pragma once

// The objects that describe a product to cublasLt.

#include <cublasLt.h>

#include <cstddef>
#include <cstdint>

struct cublasLtContext {};

struct cublasLtMatmulDescOpaque {
  cublasComputeType_t compute;
  cudaDataType_t scale;
  cublasLtPointerMode_t pointer_mode = CUBLASLT_POINTER_MODE_HOST;
  cublasOperation_t ta = CUBLAS_OP_N, tb = CUBLAS_OP_N, tc = CUBLAS_OP_N;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  void* bias = nullptr;
  std::int64_t bias_stride = 0;
  void* aux = nullptr;
  std::int64_t aux_ld = 0, aux_stride = 0;
  cudaDataType_t bias_type = static_cast<cudaDataType_t>(-1);  // that of D
  cudaDataType_t aux_type = static_cast<cudaDataType_t>(-1);
};

struct cublasLtMatrixLayoutOpaque {
  cudaDataType type;
  std::uint64_t rows, cols;
  std::int64_t ld;
  cublasLtOrder_t order = CUBLASLT_ORDER_COL;
  std::int32_t batch = 1;
  std::int64_t stride = 0;

  std::size_t at(std::size_t i, std::size_t j) const {
    const auto lead = static_cast<std::size_t>(ld);
    return order == CUBLASLT_ORDER_ROW ? i * lead + j : i + j * lead;
  }
  bool valid() const {
    const auto least = static_cast<std::int64_t>(order == CUBLASLT_ORDER_ROW ? cols : rows);
    return order <= CUBLASLT_ORDER_ROW && ld >= least && batch > 0;
  }
};

struct cublasLtMatmulPreferenceOpaque {};
