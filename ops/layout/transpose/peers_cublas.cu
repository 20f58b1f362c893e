// cuBLASLt's matrix transform: the vendor's transposition for every dtype.
#include <cublasLt.h>

#include "core/host/dispatch.cuh"
#include "ops/layout/transpose/transpose.h"

namespace warpath::transpose {
namespace {

void check(cublasStatus_t status) {
  WARPATH_CHECK(status == CUBLAS_STATUS_SUCCESS,
                std::string("cuBLASLt: ") + cublasLtGetStatusString(status));
}

cudaDataType type_of(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return CUDA_R_16F;
    case DType::bf16:
      return CUDA_R_16BF;
    default:
      return CUDA_R_32F;
  }
}

// Row-major [rows, cols] is column-major [cols, rows].
struct Layout {
  cublasLtMatrixLayout_t handle = nullptr;
  Layout(DType dtype, std::int64_t rows, std::int64_t cols) {
    check(cublasLtMatrixLayoutCreate(&handle, type_of(dtype), static_cast<std::uint64_t>(cols),
                                     static_cast<std::uint64_t>(rows), cols));
  }
  ~Layout() { cublasLtMatrixLayoutDestroy(handle); }
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;
};

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows * cols == 0) return;
  static cublasLtHandle_t handle = [] {
    cublasLtHandle_t h;
    check(cublasLtCreate(&h));
    return h;
  }();
  static cublasLtMatrixTransformDesc_t transposed = [] {
    cublasLtMatrixTransformDesc_t d;
    check(cublasLtMatrixTransformDescCreate(&d, CUDA_R_32F));
    const cublasOperation_t op = CUBLAS_OP_T;
    check(cublasLtMatrixTransformDescSetAttribute(d, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, &op,
                                                  sizeof op));
    return d;
  }();
  const Layout x(args.x.dtype, rows, cols), y(args.y.dtype, cols, rows);
  const float one = 1, zero = 0;
  check(cublasLtMatrixTransform(handle, transposed, &one, args.x.data, x.handle, &zero, nullptr,
                                nullptr, args.y.data, y.handle, stream));
}

// It multiplies by one on the way, and a signalling NaN comes out as a quiet one.
WARPATH_PEER(Args, "cuBLASLt", launch);

}  // namespace
}  // namespace warpath::transpose
