// cuBLAS's dot product of two vectors, with sums in float.
#include <cublas_v2.h>

#include "ops/reduce/dot/pairs.cuh"

namespace warpath::dot {
namespace {

void check(cublasStatus_t status) {
  WARPATH_CHECK(status == CUBLAS_STATUS_SUCCESS,
                std::string("cuBLAS: ") + cublasGetStatusString(status));
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

void launch(const Args& args, cudaStream_t stream) {
  static cublasHandle_t handle = [] {
    cublasHandle_t h;
    check(cublasCreate(&h));
    check(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
    return h;
  }();
  check(cublasSetStream(handle, stream));
  const cudaDataType type = type_of(args.x.dtype);
  check(cublasDotEx_64(handle, args.x.shape[1], args.x.data, type, 1, args.y.data, type, 1,
                       args.z.data, type, CUDA_R_32F));
}

std::string supports(const Args& args) {
  return args.x.shape[0] == 1 && args.x.shape[1] > 0 ? in_rows(args) : "takes one pair of vectors";
}

WARPATH_PEER(Args, "cuBLAS", launch, .supports = supports);

}  // namespace
}  // namespace warpath::dot
