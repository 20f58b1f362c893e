// cuBLAS's norms of a vector: nrm2, with sums in float, and asum in f32. For the largest magnitude it has
// only its place.
#include <cublas_v2.h>

#include "ops/reduce/norm/kinds.cuh"

namespace warpath::norm {
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
  const std::int64_t n = args.x.shape[1];
  if (args.kind == Kind::two) {
    const cudaDataType type = type_of(args.x.dtype);
    check(cublasNrm2Ex_64(handle, n, args.x.data, type, 1, args.y.data, type, CUDA_R_32F));
  } else {
    check(cublasSasum_64(handle, n, args.x.as<float>(), 1, args.y.as<float>()));
  }
}

std::string supports(const Args& args) {
  if (args.kind != Kind::two && (args.kind != Kind::one || args.x.dtype != DType::f32))
    return "has the order 2, and 1 in f32";
  return args.x.shape[0] == 1 && args.x.shape[1] > 0 ? in_rows(args) : "takes one vector";
}

WARPATH_PEER(Args, "cuBLAS", launch, .supports = supports);

}  // namespace
}  // namespace warpath::norm
