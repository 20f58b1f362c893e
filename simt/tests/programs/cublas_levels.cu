// cuBLAS: small cases of each level whose results are exact, and larger products against plain loops.
#include <cublas_v2.h>

#include <cmath>
#include <cstdio>
#include <vector>

template <class T>
T* device(const std::vector<T>& from) {
  T* p;
  cudaMalloc(&p, from.size() * sizeof(T));
  cublasSetVector(static_cast<int>(from.size()), sizeof(T), from.data(), 1, p, 1);
  return p;
}

template <class T>
void show(const char* what, const T* p, int n) {
  std::vector<T> host(n);
  cublasGetVector(n, sizeof(T), p, 1, host.data(), 1);
  printf("%s:", what);
  for (const T& x : host) printf(" %g", static_cast<double>(x));
  printf("\n");
}

__global__ void scale_factor(float* alpha) {
  *alpha = 3;
}

int main() {
  cublasHandle_t h;
  printf("create %s\n", cublasGetStatusName(cublasCreate(&h)));
  const float one = 1, two = 2, zero = 0, minus = -1;

  // Level 1.
  float* x = device<float>({1, -2, 3, -4});
  float* y = device<float>({10, 20, 30, 40});
  float result;
  int index;
  cublasSaxpy(h, 4, &two, x, 1, y, 1);
  show("axpy", y, 4);
  cublasSdot(h, 4, x, 1, y, 1, &result);
  printf("dot %g", result);
  cublasSnrm2(h, 2, x, 2, &result);
  printf(" nrm2 %.5f", result);
  cublasSasum(h, 4, x, 1, &result);
  printf(" asum %g", result);
  cublasIsamax(h, 4, x, 1, &index);
  printf(" amax %d", index);
  cublasIsamin(h, 4, x, 1, &index);
  printf(" amin %d\n", index);
  float* alpha;
  cudaMalloc(&alpha, sizeof(float));
  scale_factor<<<1, 1>>>(alpha);
  cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE);
  cublasSscal(h, 4, alpha, x, 1);
  cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST);
  show("scal by a device scalar", x, 4);
  cublasSswap(h, 4, x, 1, y, 1);
  show("swap", x, 4);

  // Level 2: a = [1 3 5; 2 4 6], column by column.
  float* a = device<float>({1, 2, 3, 4, 5, 6});
  float* v = device<float>({1, 1, 1});
  float* w = device<float>({NAN, NAN, NAN});
  cublasSgemv(h, CUBLAS_OP_N, 2, 3, &one, a, 2, v, 1, &zero, w, 1);
  show("gemv", w, 2);
  cublasSgemv(h, CUBLAS_OP_T, 2, 3, &one, a, 2, v, 1, &zero, w, 1);
  show("gemv transposed", w, 3);
  cublasSger(h, 2, 3, &minus, v, 1, w, 1, a, 2);
  show("ger", a, 6);
  double* triangle = device<double>({2, 1, 0, 4});
  double* right = device<double>({2, 9});
  cublasDtrsv(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 2, triangle, 2, right,
              1);
  show("trsv", right, 2);

  // Level 3.
  float* b = device<float>({1, 2, 3, 4});
  float* c = device<float>({NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN});
  cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_T, 2, 2, 2, &one, b, 2, b, 2, &zero, c, 2);
  show("gemm", c, 4);
  cublasSgemmStridedBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, b, 2, 0, b, 2, 0, &zero, c,
                            2, 4, 2);
  show("batches", c, 8);
  cublasSgeam(h, CUBLAS_OP_T, CUBLAS_OP_N, 2, 2, &one, b, 2, &two, b, 2, c, 2);
  show("geam", c, 4);
  cublasSdgmm(h, CUBLAS_SIDE_RIGHT, 2, 2, b, 2, v, 1, c, 2);
  show("dgmm", c, 4);
  cublasSsyrk(h, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, 2, 2, &one, b, 2, &zero, c, 2);
  show("syrk", c, 4);
  cublasStrsm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 2, 1,
              &one, b, 2, v, 2);
  show("trsm", v, 2);
  cuComplex* z = device<cuComplex>({{1, 2}, {3, -1}});
  cuComplex product;
  cublasCdotc(h, 2, z, 1, z, 1, &product);
  printf("dotc %g %g", product.x, product.y);
  cublasCdotu(h, 2, z, 1, z, 1, &product);
  printf(" dotu %g %g\n", product.x, product.y);

  // Types chosen at run time, and odd sizes against plain loops.
  const int m = 33, n = 17, k = 29;
  std::vector<__half> ha(m * k), hb(k * n);
  std::vector<signed char> ia(m * k), ib(k * n);
  std::vector<float> want(m * n);
  std::vector<int> exact(m * n);
  for (int i = 0; i < m * k; ++i)
    ha[i] = __float2half((ia[i] = static_cast<signed char>(i * 7 % 255 - 127)) / 64.0f);
  for (int i = 0; i < k * n; ++i)
    hb[i] = __float2half((ib[i] = static_cast<signed char>(i * 11 % 255 - 127)) / 64.0f);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i) {
      for (int l = 0; l < k; ++l) exact[i + j * m] += ia[i + l * m] * ib[l + j * k];
      want[i + j * m] = exact[i + j * m] / 4096.0f;
    }
  }
  float* fc = device<float>(std::vector<float>(m * n, NAN));
  int* ic = device<int>(std::vector<int>(m * n, -1));
  cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, device(ha), CUDA_R_16F, m, device(hb),
               CUDA_R_16F, k, &zero, fc, CUDA_R_32F, m, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  const int integer_one = 1, integer_zero = 0;
  cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &integer_one, device(ia), CUDA_R_8I, m,
               device(ib), CUDA_R_8I, k, &integer_zero, ic, CUDA_R_32I, m, CUBLAS_COMPUTE_32I,
               CUBLAS_GEMM_DEFAULT);
  std::vector<float> got(m * n);
  std::vector<int> integers(m * n);
  cublasGetMatrix(m, n, sizeof(float), fc, m, got.data(), m);
  cublasGetMatrix(m, n, sizeof(int), ic, m, integers.data(), m);
  printf("half %s, int8 %s\n", got == want ? "exact" : "wrong",
         integers == exact ? "exact" : "wrong");

  printf("%s", cublasGetStatusName(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, b, 1, b,
                                               2, &zero, c, 2)));
  printf(" %s\n", cublasGetStatusString(cublasSgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2,
                                                    &one, b, 2, b, 2, &zero, c, 2)));
  cublasDestroy(h);
}
