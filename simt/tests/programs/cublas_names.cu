// cuBLAS: functions by the names that the library has them under, settings that are kept, products that a GPU may emulate.
#include <cublas_v2.h>

#include <cstdio>

#define CHECK(call)                                                    \
  do {                                                                 \
    const cublasStatus_t s = (call);                                   \
    if (s != CUBLAS_STATUS_SUCCESS) printf("%s: %d\n", #call, int(s)); \
  } while (0)

int main() {
  cublasHandle_t handle;
  CHECK(cublasCreate_v2(&handle));
  int version, major;
  CHECK(cublasGetVersion_v2(handle, &version));
  CHECK(cublasGetProperty(MAJOR_VERSION, &major));
  printf("version %d\n", version / 10000 == major || version / 1000 == major);

  double* x;
  float* f;
  cudaMallocManaged(&x, 12 * sizeof(double));
  cudaMallocManaged(&f, 12 * sizeof(float));
  for (int i = 0; i < 12; ++i) f[i] = static_cast<float>(x[i] = i + 1);
  const double two = 2, zero = 0;
  double dot;
  CHECK(cublasDaxpy_v2(handle, 4, &two, x, 1, x + 4, 1));
  CHECK(cublasDdot_v2(handle, 4, x, 1, x + 4, 1, &dot));
  printf("axpy %g, dot %g\n", x[7], dot);

  CHECK(cublasSetMathMode(handle, CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH));
  CHECK(cublasSetEmulationStrategy(handle, CUBLAS_EMULATION_STRATEGY_EAGER));
  CHECK(cublasSetFixedPointEmulationMantissaControl(handle, CUDA_EMULATION_MANTISSA_CONTROL_FIXED));
  CHECK(cublasSetFixedPointEmulationMaxMantissaBitCount(handle, 55));
  cublasEmulationStrategy_t strategy;
  cudaEmulationMantissaControl control;
  int bits;
  CHECK(cublasGetEmulationStrategy(handle, &strategy));
  CHECK(cublasGetFixedPointEmulationMantissaControl(handle, &control));
  CHECK(cublasGetFixedPointEmulationMaxMantissaBitCount(handle, &bits));
  printf("emulation %d %d %d\n", strategy, control, bits);
  CHECK(cublasDgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &two, x, 2, x + 4, 2, &zero,
                       x + 8, 2));
  cudaDeviceSynchronize();
  printf("double %g %g %g %g\n", x[8], x[9], x[10], x[11]);
  CHECK(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_T, 2, 2, 2, &two, x, CUDA_R_64F, 2, x + 4,
                     CUDA_R_64F, 2, &zero, x + 8, CUDA_R_64F, 2,
                     CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT, CUBLAS_GEMM_DEFAULT));
  cudaDeviceSynchronize();
  printf("fixed point %g %g %g %g\n", x[8], x[9], x[10], x[11]);
  const float one = 1, none = 0;
  CHECK(cublasSgemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, f, CUDA_R_32F, 2, f + 4,
                      CUDA_R_32F, 2, &none, f + 8, CUDA_R_32F, 2));
  cudaDeviceSynchronize();
  printf("float %g %g %g %g\n", f[8], f[9], f[10], f[11]);
  cudaFree(x);
  cudaFree(f);
  CHECK(cublasDestroy_v2(handle));
}
