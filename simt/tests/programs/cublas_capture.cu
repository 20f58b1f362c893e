// cuBLAS calls in a captured stream: nodes that compute when the graph is launched, with the scalars of the
// time of the call.
#include <cublasLt.h>
#include <cublas_v2.h>

#include <cstdio>

#define CHECK(call)                                                         \
  do {                                                                      \
    if (const int error = (call)) printf("line %d: %d\n", __LINE__, error); \
  } while (0)

__global__ void add_one(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1;
}

void show(const char* name, const float* x, int n) {
  printf("%s:", name);
  for (int i = 0; i < n; ++i) printf(" %g", x[i]);
  printf("\n");
}

int main() {
  constexpr int n = 4;
  float *a, *b, *c, *x, *y, *sum;
  for (float** p : {&a, &b, &c, &x, &y, &sum}) CHECK(cudaMallocManaged(p, n * n * sizeof(float)));
  for (int i = 0; i < n * n; ++i) {
    a[i] = static_cast<float>(i);
    b[i] = i % (n + 1) == 0 ? 2.0f : 0.0f;  // twice the unit matrix
    c[i] = x[i] = y[i] = 1;
  }
  cublasHandle_t handle;
  cudaStream_t stream;
  CHECK(cublasCreate(&handle));
  CHECK(cudaStreamCreate(&stream));
  CHECK(cublasSetStream(handle, stream));

  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  float alpha = 1, beta = 1;
  CHECK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &alpha, a, n, b, n, &beta, c, n));
  add_one<<<1, 32, 0, stream>>>(x, n);
  alpha = 10;
  CHECK(cublasSaxpy(handle, n, &alpha, x, 1, c, 1));
  alpha = 0.5f;
  CHECK(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &alpha, b, CUDA_R_32F, n, b,
                     CUDA_R_32F, n, &beta, y, CUDA_R_32F, n, CUBLAS_COMPUTE_32F,
                     CUBLAS_GEMM_DEFAULT));
  CHECK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
  CHECK(cublasSdot(handle, n, x, 1, x, 1, sum));
  CHECK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
  alpha = beta = 777;
  cudaGraph_t graph;
  CHECK(cudaStreamEndCapture(stream, &graph));
  show("before", c, n);
  size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  printf("%zu nodes\n", nodes);

  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    show("c", c, n);
    show("y", y, 2);
    show("sum", sum, 1);
  }
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));

  // cublasLt: the descriptions are gone before the launch.
  cublasLtMatmulDesc_t desc;
  cublasLtMatrixLayout_t layout;
  alpha = 3;
  beta = 0;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  CHECK(cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, n, n, n));
  CHECK(cublasLtMatmul(reinterpret_cast<cublasLtHandle_t>(handle), desc, &alpha, a, layout, b,
                       layout, &beta, c, layout, c, layout, nullptr, nullptr, 0, stream));
  CHECK(cublasLtMatrixLayoutDestroy(layout));
  CHECK(cublasLtMatmulDescDestroy(desc));
  alpha = 777;
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  show("lt", c, n);
  CHECK(cublasDestroy(handle));
}
