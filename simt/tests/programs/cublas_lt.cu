// cublasLt: products with epilogues, rows first, batches, other types than float.
#include <cublasLt.h>

#include <cmath>
#include <cstdio>
#include <vector>

#define CHECK(call)                                                      \
  do {                                                                   \
    const cublasStatus_t s = (call);                                     \
    if (s != CUBLAS_STATUS_SUCCESS) printf("%s: status %d\n", #call, s); \
  } while (0)

constexpr int m = 3, n = 4, k = 5;
cublasLtHandle_t handle;

template <class T>
T* device(int count, float step) {
  T* p;
  cudaMallocManaged(&p, count * sizeof(T));
  for (int i = 0; i < count; ++i) p[i] = T(static_cast<float>(i % 7 - 3) * step);
  return p;
}

// op(A) * B with A stored transposed, and whatever the epilogue says.
void product(const char* title, cublasLtEpilogue_t epilogue, float* bias, void* aux, float* d,
             const float* a, const float* b) {
  cublasLtMatmulDesc_t desc;
  cublasLtMatrixLayout_t la, lb, ld;
  CHECK(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  const cublasOperation_t t = CUBLAS_OP_T;
  CHECK(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &t, sizeof t));
  CHECK(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue,
                                       sizeof epilogue));
  CHECK(
      cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias));
  if (aux != nullptr) {
    const int64_t lead = 8;
    CHECK(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &aux,
                                         sizeof aux));
    CHECK(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &lead,
                                         sizeof lead));
  }
  CHECK(cublasLtMatrixLayoutCreate(&la, CUDA_R_32F, k, m, k));
  CHECK(cublasLtMatrixLayoutCreate(&lb, CUDA_R_32F, k, n, k));
  CHECK(cublasLtMatrixLayoutCreate(&ld, CUDA_R_32F, m, n, m));
  cublasLtMatmulPreference_t preference;
  CHECK(cublasLtMatmulPreferenceCreate(&preference));
  const size_t space = 1 << 20;
  CHECK(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                             &space, sizeof space));
  cublasLtMatmulHeuristicResult_t way;
  int found = 0;
  CHECK(cublasLtMatmulAlgoGetHeuristic(handle, desc, la, lb, ld, ld, preference, 1, &way, &found));
  const float one = 1, zero = 0;
  CHECK(cublasLtMatmul(handle, desc, &one, a, la, b, lb, &zero, d, ld, d, ld, &way.algo, nullptr, 0,
                       0));
  printf("%s (%d):", title, found);
  for (int i = 0; i < m * n; ++i) printf(" %.4g", d[i]);
  printf("\n");
  cublasLtMatmulPreferenceDestroy(preference);
  cublasLtMatrixLayoutDestroy(la);
  cublasLtMatrixLayoutDestroy(lb);
  cublasLtMatrixLayoutDestroy(ld);
  cublasLtMatmulDescDestroy(desc);
}

// What the library has written is written: the checks must not call it uninitialised.
void into_fresh_memory(const float* a, const float* b) {
  cublasLtMatmulDesc_t desc;
  cublasLtMatrixLayout_t la, lb, ld;
  CHECK(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  CHECK(cublasLtMatrixLayoutCreate(&la, CUDA_R_32F, m, k, m));
  CHECK(cublasLtMatrixLayoutCreate(&lb, CUDA_R_32F, k, n, k));
  CHECK(cublasLtMatrixLayoutCreate(&ld, CUDA_R_32F, m, n, m));
  float *d, back[m * n];
  cudaMalloc(&d, sizeof back);
  const float one = 1, zero = 0;
  CHECK(cublasLtMatmul(handle, desc, &one, a, la, b, lb, &zero, d, ld, d, ld, nullptr, nullptr, 0,
                       0));
  cudaMemcpy(back, d, sizeof back, cudaMemcpyDeviceToHost);
  printf("fresh memory: %g %g\n", back[0], back[m * n - 1]);
  cudaFree(d);
  cublasLtMatrixLayoutDestroy(la);
  cublasLtMatrixLayoutDestroy(lb);
  cublasLtMatrixLayoutDestroy(ld);
  cublasLtMatmulDescDestroy(desc);
}

// Half in, float out, rows first, two in a batch.
void batch() {
  __half* a = device<__half>(2 * m * k, 1);
  __half* b = device<__half>(2 * k * n, 1);
  float* d = device<float>(2 * m * n, 0);
  cublasLtMatmulDesc_t desc;
  cublasLtMatrixLayout_t l[3];
  CHECK(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  CHECK(cublasLtMatrixLayoutCreate(&l[0], CUDA_R_16F, m, k, k));
  CHECK(cublasLtMatrixLayoutCreate(&l[1], CUDA_R_16F, k, n, n));
  CHECK(cublasLtMatrixLayoutCreate(&l[2], CUDA_R_32F, m, n, n));
  const cublasLtOrder_t rows = CUBLASLT_ORDER_ROW;
  const int32_t count = 2;
  const int64_t strides[] = {m * k, k * n, m * n};
  for (int i = 0; i < 3; ++i) {
    CHECK(cublasLtMatrixLayoutSetAttribute(l[i], CUBLASLT_MATRIX_LAYOUT_ORDER, &rows, sizeof rows));
    CHECK(cublasLtMatrixLayoutSetAttribute(l[i], CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count,
                                           sizeof count));
    CHECK(cublasLtMatrixLayoutSetAttribute(l[i], CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                           &strides[i], sizeof strides[i]));
  }
  const float two = 2, zero = 0;
  CHECK(cublasLtMatmul(handle, desc, &two, a, l[0], b, l[1], &zero, d, l[2], d, l[2], nullptr,
                       nullptr, 0, 0));
  int wrong = 0;
  for (int g = 0; g < 2; ++g) {
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        float sum = 0;
        for (int x = 0; x < k; ++x) {
          sum += __half2float(a[g * m * k + i * k + x]) * __half2float(b[g * k * n + x * n + j]);
        }
        wrong += d[g * m * n + i * n + j] != 2 * sum;
      }
    }
  }
  printf("batch: %d wrong, %g %g\n", wrong, d[0], d[23]);
  // A shape that does not fit.
  printf("shape: %d\n", cublasLtMatmul(handle, desc, &two, b, l[1], a, l[0], &zero, d, l[2], d,
                                       l[2], nullptr, nullptr, 0, 0));
}

// cuBLAS' own calls with types chosen at run time.
void other_types() {
  cublasHandle_t blas;
  CHECK(cublasCreate(&blas));
  __half* x = device<__half>(16, 1);
  __half* y = device<__half>(16, 2);
  __half** lists;
  cudaMallocManaged(&lists, 6 * sizeof *lists);
  __half* c = device<__half>(8, 0);
  for (int i = 0; i < 2; ++i)
    lists[i] = x + 4 * i, lists[2 + i] = y + 4 * i, lists[4 + i] = c + 4 * i;
  const __half one = 1.0f, zero = 0.0f;
  CHECK(cublasHgemmBatched(blas, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, lists, 2, lists + 2, 2,
                           &zero, lists + 4, 2, 2));
  float forwards = 0, backwards = 0;
  CHECK(
      cublasDotEx(blas, 5, x, CUDA_R_16F, 1, y, CUDA_R_16F, 2, &forwards, CUDA_R_32F, CUDA_R_32F));
  CHECK(cublasDotEx(blas, 5, x, CUDA_R_16F, -1, y, CUDA_R_16F, 2, &backwards, CUDA_R_32F,
                    CUDA_R_32F));
  printf("half: %g %g %g, %g %g\n", __half2float(c[0]), __half2float(c[3]), __half2float(c[7]),
         forwards, backwards);
  CHECK(cublasDestroy(blas));
}

int main() {
  CHECK(cublasLtCreate(&handle));
  float* a = device<float>(m * k, 0.5f);
  float* b = device<float>(k * n, 0.25f);
  float* bias = device<float>(8, 1);
  float* d = device<float>(m * n, 0);
  float* aux = device<float>(64, 0);
  into_fresh_memory(a, b);
  product("plain", CUBLASLT_EPILOGUE_DEFAULT, nullptr, nullptr, d, a, b);
  product("bias", CUBLASLT_EPILOGUE_BIAS, bias, nullptr, d, a, b);
  product("relu", CUBLASLT_EPILOGUE_RELU_BIAS, bias, nullptr, d, a, b);
  product("gelu", CUBLASLT_EPILOGUE_GELU_AUX_BIAS, bias, aux, d, a, b);
  printf("before gelu: %.4g %.4g\n", aux[0], aux[8 + 2]);
  product("dgelu", CUBLASLT_EPILOGUE_DGELU_BGRAD, bias, aux, d, a, b);
  printf("sums: %.4g %.4g %.4g\n", bias[0], bias[1], bias[2]);
  unsigned char* bits = reinterpret_cast<unsigned char*>(aux);
  product("relu", CUBLASLT_EPILOGUE_RELU_AUX, nullptr, bits, d, a, b);
  printf("bits: %d %d %d %d\n", bits[0] & 7, bits[1] & 7, bits[2] & 7, bits[3] & 7);
  product("no bias", CUBLASLT_EPILOGUE_BIAS, nullptr, nullptr, d, a, b);
  batch();
  other_types();
  CHECK(cublasLtDestroy(handle));
}
