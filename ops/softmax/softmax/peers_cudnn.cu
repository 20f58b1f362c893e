// cuDNN's softmax, forward and backward.
#include <cudnn.h>

#include "core/host/dispatch.cuh"
#include "ops/softmax/softmax/softmax.h"

namespace warpath::softmax {
namespace {

void check(cudnnStatus_t status) {
  WARPATH_CHECK(status == CUDNN_STATUS_SUCCESS,
                std::string("cuDNN: ") + cudnnGetErrorString(status));
}

cudnnHandle_t handle_on(cudaStream_t stream) {
  static cudnnHandle_t handle = [] {
    cudnnHandle_t h;
    check(cudnnCreate(&h));
    return h;
  }();
  check(cudnnSetStream(handle, stream));
  return handle;
}

struct Description {
  cudnnTensorDescriptor_t handle = nullptr;
  explicit Description(const Tensor& t) {
    const cudnnDataType_t type = t.dtype == DType::f16    ? CUDNN_DATA_HALF
                                 : t.dtype == DType::bf16 ? CUDNN_DATA_BFLOAT16
                                                          : CUDNN_DATA_FLOAT;
    check(cudnnCreateTensorDescriptor(&handle));
    check(cudnnSetTensor4dDescriptor(handle, CUDNN_TENSOR_NCHW, type, static_cast<int>(t.shape[0]),
                                     static_cast<int>(t.shape[1]), 1, 1));
  }
  ~Description() { cudnnDestroyTensorDescriptor(handle); }
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;
};

void forward(const Forward& args, cudaStream_t stream) {
  if (args.x.size() == 0) return;
  const Description d(args.x);
  const float one = 1, zero = 0;
  check(cudnnSoftmaxForward(handle_on(stream), CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_INSTANCE,
                            &one, d.handle, args.x.data, &zero, d.handle, args.y.data));
}

void backward(const Backward& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  const Description d(args.y);
  const float one = 1, zero = 0;
  check(cudnnSoftmaxBackward(handle_on(stream), CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_INSTANCE,
                             &one, d.handle, args.y.data, d.handle, args.dy.data, &zero, d.handle,
                             args.dx.data));
}

WARPATH_PEER(Forward, "cuDNN", forward);
WARPATH_PEER(Backward, "cuDNN", backward);

}  // namespace
}  // namespace warpath::softmax
